import type { Secret } from '@sheaf/contract';
import type { GuardedFetch, GuardedResponse } from '@sheaf/outbound';
import { type DriverLimits, ListingBudget, REQUEST_TIMEOUTS_MS } from '../listing-budget.ts';
import { exactBody, statusFailure, toSourceError } from '../outbound.ts';
import {
  contradiction,
  type FileVersion,
  inBatches,
  isContradiction,
  isSameVersion,
  isStrongEtag,
  type Listing,
  type OpenedFile,
  type RemoteFile,
  type SourceDriver,
  SourceError,
} from '../source-driver.ts';
import { type MultistatusEntry, makeHrefReader, urlBelow } from './multistatus.ts';
import { checkFolder, otherAddress, propfind, walkCollections } from './walk-collections.ts';
import { makeWebdavClient, type WebdavClient } from './webdav-client.ts';

export interface WebdavSettings {
  /** Of the folder whose files are the source. */
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: Secret | undefined;
  readonly recursive: boolean;
}

const parseRoot = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new SourceError('refused', 'The URL of a WebDAV source must start with https:// or http://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new SourceError('refused', 'The URL of a WebDAV source must not contain a user name or password. Use the separate fields.');
  }
  if (url.search !== '') throw new SourceError('refused', 'The URL of a WebDAV source must not contain a query string.');
  url.hash = '';
  return url;
};

/** Files below a folder of a WebDAV server. Throws SourceError refused when the address cannot be one. */
export const makeWebdavDriver = (settings: WebdavSettings, fetch: GuardedFetch, limits: DriverLimits): SourceDriver =>
  new WebdavDriver(settings, fetch, limits);

class WebdavDriver implements SourceDriver {
  readonly #client: WebdavClient;
  readonly #recursive: boolean;
  readonly #limits: DriverLimits;
  #root: URL;

  constructor({ url, username, password, recursive }: WebdavSettings, fetch: GuardedFetch, limits: DriverLimits) {
    this.#root = parseRoot(url);
    this.#client = makeWebdavClient(this.#root, { username, password }, fetch);
    this.#recursive = recursive;
    this.#limits = limits;
  }

  async check(signal: AbortSignal): Promise<void> {
    const { entry, url } = await this.#ask(urlBelow(this.#root, '', 'folder'), signal);
    checkFolder(entry, url.host);
    const place = makeHrefReader(url)(entry.href);
    if (place.kind === 'refused' || place.path !== '') throw otherAddress(url.host, entry.href);
  }

  list(signal: AbortSignal): AsyncIterable<Listing> {
    const onRoot = (url: URL): void => {
      this.#root = url;
    };
    const budget = new ListingBudget(this.#limits);
    return inBatches(walkCollections(this.#client, { root: this.#root, recursive: this.#recursive, budget, signal, onRoot }));
  }

  open(file: RemoteFile, signal: AbortSignal): Promise<OpenedFile> {
    const url = urlBelow(this.#root, file.path, 'file');
    const stat = async (): Promise<FileVersion> => (await this.#ask(url, signal)).entry;
    return openFile(this.#client, file, { url, signal, stat });
  }

  async close(): Promise<void> {} // its connections are the guarded client's

  /** The properties of one file or folder. */
  async #ask(asked: string, signal: AbortSignal): Promise<{ readonly entry: MultistatusEntry; readonly url: URL }> {
    const { entries, url } = await propfind(this.#client, { url: asked, depth: '0', signal, timeoutMs: REQUEST_TIMEOUTS_MS.check });
    let entry: MultistatusEntry | undefined;
    for await (const some of entries) entry ??= some[0];
    if (entry !== undefined) return { entry, url };
    throw new SourceError('protocol', `${this.#root.host} returned no entry for this URL. Check the URL.`);
  }
}

interface OpenOptions {
  readonly url: string;
  readonly signal: AbortSignal;
  /** The version that the server has now. */
  readonly stat: () => Promise<FileVersion>;
}

/** Throws SourceError, or the signal's reason. */
const openFile = async (client: WebdavClient, file: RemoteFile, { url, signal, stat }: OpenOptions): Promise<OpenedFile> => {
  const { host } = new URL(url);
  const response = await ask(client, url, file, signal);
  if (response.status !== 200) {
    response.body.destroy();
    throw failureOf(response, host);
  }
  const answered = versionOf(response);
  const isListed = isSameVersion(file, answered);
  if (isContradiction(file, answered)) throw contradiction(host, response.body);
  // Where the answer names no length, the listing did, and it is the same file as far as can be told.
  const announced = isCompressed(response) ? undefined : (answered.sizeBytes ?? (isListed === false ? undefined : file.sizeBytes));
  return {
    body: exactBody(response.body, { sizeBytes: announced, host }),
    sizeBytes: announced,
    modifiedAt: answered.modifiedAt ?? (isListed === false ? undefined : file.modifiedAt),
    etag: isListed === false ? answered.etag : (file.etag ?? answered.etag),
    isUnchanged: async () => isListed ?? isSameVersion(file, await stat()) ?? true,
  };
};

/** If-Match lets the server refuse another content at once. Some give downloads other tags than listings, so it is asked without, too. */
const ask = async (client: WebdavClient, url: string, { etag }: RemoteFile, signal: AbortSignal): Promise<GuardedResponse> => {
  const request = { method: 'GET', url, signal, timeoutMs: REQUEST_TIMEOUTS_MS.download } as const;
  try {
    if (!isStrongEtag(etag)) return await client({ ...request, headers: {} });
    const response = await client({ ...request, headers: { 'if-match': etag } });
    if (response.status !== 412) return response;
    response.body.destroy();
    return await client({ ...request, headers: {} });
  } catch (error) {
    throw toSourceError(error);
  }
};

const isCompressed = ({ headers }: GuardedResponse): boolean => (headers['content-encoding'] ?? 'identity') !== 'identity';

const versionOf = (response: GuardedResponse): FileVersion => {
  const { headers } = response;
  const length = isCompressed(response) ? '' : (headers['content-length'] ?? '');
  const modifiedAt = new Date(headers['last-modified'] ?? '');
  return {
    sizeBytes: /^\d{1,15}$/.test(length) ? Number(length) : undefined,
    modifiedAt: Number.isNaN(modifiedAt.getTime()) ? undefined : modifiedAt,
    etag: headers.etag,
  };
};

const failureOf = ({ status, headers }: GuardedResponse, host: string): SourceError =>
  status === 404 || status === 410
    ? new SourceError('not_found', `${host} no longer has the file.`)
    : statusFailure(status, headers['retry-after'], host);
