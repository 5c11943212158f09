import { ledgerReason } from '@sheaf/contract/imports';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import type { SourceErrorCode } from '@sheaf/vocabulary/sources';
import type { Found } from '../batches.ts';
import { REQUEST_TIMEOUTS_MS } from '../driver-limits.ts';
import type { ListingBudget } from '../listing-budget.ts';
import { parentOf, showPath } from '../remote-path.ts';
import { SourceError } from '../source-error.ts';
import { checkFolder, otherAddress } from './folder-entry.ts';
import { makeHrefReader, urlBelow } from './href.ts';
import type { MultistatusEntry } from './multistatus.ts';
import { type PropfindAnswer, propfind } from './propfind.ts';
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

/** A folder that this user may not read, or that was named and is not found, is told of: its files may be there all the same. The root must be. */
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
