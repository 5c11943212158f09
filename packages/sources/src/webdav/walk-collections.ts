import { ledgerReason } from '@sheaf/contract/imports';
import type { GuardedResponse } from '@sheaf/outbound';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import type { SourceErrorCode } from '@sheaf/vocabulary/sources';
import { type ListingBudget, parentOf, REQUEST_TIMEOUTS_MS, showPath } from '../listing-budget.ts';
import { statusFailure, toSourceError } from '../outbound.ts';
import { type Found, SourceError } from '../source-driver.ts';
import { type MultistatusEntry, makeHrefReader, readMultistatus, urlBelow } from './multistatus.ts';
import type { WebdavClient } from './webdav-client.ts';

export interface WalkOptions {
  readonly root: URL;
  readonly recursive: boolean;
  readonly budget: ListingBudget;
  readonly signal: AbortSignal;
  /** Told where the root is, should the server redirect from the address that was given. */
  readonly onRoot: (url: URL) => void;
}

/**
 * All files below the root, folder by folder. Only what a folder names directly in it is followed, once, so a server that names a
 * folder in itself, an ancestor in its child, or all of a tree at once makes neither a circle nor a file twice.
 */
export const walkCollections = async function* (client: WebdavClient, options: WalkOptions): AsyncIterable<readonly Found[]> {
  let root = options.root;
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const answer = await askFolder(client, urlBelow(root, folder, 'folder'), folder, options.signal);
    if (!('entries' in answer)) {
      yield answer.found;
      continue;
    }
    if (folder === '') {
      root = answer.url;
      options.onRoot(root);
    }
    const reader = new FolderReader(folder, root, options);
    for await (const entries of answer.entries) yield entries.flatMap((entry) => reader.read(entry));
    reader.finish();
    waiting.push(...reader.folders);
  }
};

/** A folder that this user may not read, or that was named and is not found, is reported: its files may be there all the same. The root must be. */
const askFolder = async (
  client: WebdavClient,
  url: string,
  folder: string,
  signal: AbortSignal,
): Promise<PropfindAnswer | { readonly found: readonly Found[] }> => {
  try {
    return await propfind(client, { url, depth: '1', signal, timeoutMs: REQUEST_TIMEOUTS_MS.listing });
  } catch (error) {
    if (folder === '' || !(error instanceof SourceError)) throw error;
    const reason = UNSEEN[error.code];
    if (reason === undefined) throw error;
    return { found: [refused(folder, reason, true)] };
  }
};

const UNSEEN: Partial<Record<SourceErrorCode, LedgerReason>> = {
  not_found: ledgerReason('folder_not_found'),
  unauthorized: ledgerReason('folder_forbidden'),
};

const refused = (path: string, reason: LedgerReason, isFolder: boolean): Found => ({ refused: { path, reason, isFolder } });

/** Sorts the entries of one folder's answer. */
class FolderReader {
  readonly folders = new Set<string>();
  readonly #folder: string;
  readonly #options: WalkOptions;
  readonly #placeOf: ReturnType<typeof makeHrefReader>;
  readonly #host: string;
  #sawItself = false;
  #strange: string | undefined;

  constructor(folder: string, root: URL, options: WalkOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#placeOf = makeHrefReader(root);
    this.#host = root.host;
  }

  read(entry: MultistatusEntry): Found[] {
    const place = this.#placeOf(entry.href);
    if (place.kind === 'refused') {
      this.#strange ??= entry.href;
      this.#options.budget.takeEntry();
      return [refused(showPath(entry.href), place.reason, entry.isCollection ?? entry.href.endsWith('/'))];
    }
    if (place.path === this.#folder) return this.#readItself(entry);
    if (place.path === '' || parentOf(place.path) !== this.#folder) return []; // it stands in its own folder's answer
    const isFolder = entry.isCollection ?? place.hasSlash;
    if (entry.status !== undefined && entry.status >= 300) {
      this.#options.budget.takeEntry();
      const reason = ledgerReason('not_shown', { status: entry.status });
      return [refused(place.path, reason, isFolder || entry.isCollection === undefined)];
    }
    return isFolder ? this.#readFolder(place.path) : this.#readFile(place.path, entry);
  }

  /** A folder that does not name itself may be another one than was asked for: nothing must be concluded from what is missing in it. */
  finish(): void {
    if (!this.#sawItself) throw otherAddress(this.#host, this.#strange);
  }

  #readItself(entry: MultistatusEntry): Found[] {
    checkFolder(entry, this.#host);
    this.#sawItself = true;
    return [];
  }

  #readFolder(path: string): Found[] {
    if (!this.#options.recursive || this.folders.has(path)) return [];
    this.#options.budget.takeFolder(path);
    this.folders.add(path);
    return [];
  }

  #readFile(path: string, { sizeBytes, modifiedAt, etag }: MultistatusEntry): Found[] {
    this.#options.budget.takeFile(path);
    return [{ file: { path, sizeBytes, modifiedAt, etag } }];
  }
}

/** Throws SourceError where the entry of what should be a folder says that it is a file, or that it is not to be had. */
export const checkFolder = ({ isCollection, status }: MultistatusEntry, host: string): void => {
  if (status !== undefined && status >= 400) throw statusFailure(status, undefined, host);
  if (isCollection !== false) return;
  throw new SourceError('protocol', `${host} has a file at this URL. Use the URL of a folder.`);
};

/** A server that speaks of `href` when it was asked for something else. */
export const otherAddress = (host: string, href: string | undefined): SourceError => {
  const hint = href === undefined ? '' : ` It returned ${showPath(href).slice(0, 200)}.`;
  return new SourceError('protocol', `${host} returned a different URL for the folder.${hint} Check the URL.`);
};

const BODY = `<?xml version="1.0" encoding="utf-8"?>
<d:propfind xmlns:d="DAV:"><d:prop><d:resourcetype/><d:getcontentlength/><d:getlastmodified/><d:getetag/></d:prop></d:propfind>`;

interface Propfind {
  readonly url: string;
  readonly depth: '0' | '1';
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

interface PropfindAnswer {
  /** Where the answer came from, after redirects. */
  readonly url: URL;
  readonly entries: AsyncIterable<readonly MultistatusEntry[]>;
}

const NO_WEBDAV = new Set([400, 405, 415, 501]);

const failureOf = ({ status, headers }: GuardedResponse, host: string): SourceError => {
  if (status < 400 || NO_WEBDAV.has(status)) {
    return new SourceError('protocol', `${host} returned no WebDAV response (${status}). Check the URL.`);
  }
  return statusFailure(status, headers['retry-after'], host);
};

/** Asks for the properties of a folder, and of what is in it. Throws SourceError; the entries do so too, or the signal's reason. */
export const propfind = async (client: WebdavClient, { url, depth, signal, timeoutMs }: Propfind): Promise<PropfindAnswer> => {
  const headers = { depth, accept: 'application/xml, text/xml', 'content-type': 'application/xml; charset=utf-8' };
  const response = await client({ method: 'PROPFIND', url, headers, data: BODY, signal, timeoutMs }).catch((error: unknown) => {
    throw toSourceError(error);
  });
  if (response.status !== 207) {
    response.body.destroy();
    throw failureOf(response, new URL(url).host);
  }
  return { url: new URL(response.url), entries: translated(readMultistatus(response.body)) };
};

const translated = async function* <T>(entries: AsyncIterable<T>): AsyncIterable<T> {
  try {
    yield* entries;
  } catch (error) {
    throw toSourceError(error);
  }
};
