import type { Secret } from '@sheaf/contract';
import type { GuardedFetch } from '@sheaf/outbound';
import { inBatches } from '../batches.ts';
import type { Listing, OpenedFile, RemoteFile, SourceDriver } from '../driver.ts';
import { type DriverLimits, REQUEST_TIMEOUTS_MS } from '../driver-limits.ts';
import type { FileVersion } from '../file-version.ts';
import { ListingBudget } from '../listing-budget.ts';
import { SourceError } from '../source-error.ts';
import { checkFolder, otherAddress } from './folder-entry.ts';
import { makeHrefReader, urlBelow } from './href.ts';
import type { MultistatusEntry } from './multistatus.ts';
import { openFile } from './open-file.ts';
import { propfind } from './propfind.ts';
import { walkCollections } from './walk-collections.ts';
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
