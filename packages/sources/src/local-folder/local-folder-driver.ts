import { opendir } from 'node:fs/promises';
import { findInRoots, isStillThere, type OpenRoot, openRoot, walkFolder } from '@sheaf/storage/folders';
import { type Found, inBatches } from '../batches.ts';
import type { Listing, OpenedFile, RemoteFile, SourceDriver } from '../driver.ts';
import type { DriverLimits } from '../driver-limits.ts';
import { ListingBudget } from '../listing-budget.ts';
import { SourceError } from '../source-error.ts';
import { noFolder, outsideRoots, toFolderFailure } from './folder-failure.ts';
import { FolderListing } from './folder-listing.ts';
import { openLocalFile } from './open-local-file.ts';

export interface LocalFolderSettings {
  /** Absolute. */
  readonly path: string;
  /** The folders that sources may lie in. */
  readonly roots: readonly string[];
  readonly recursive: boolean;
}

/** Files below a folder of this machine, as long as it lies inside one of the roots. Follows no link. */
export const makeLocalFolderDriver = (settings: LocalFolderSettings, limits: DriverLimits): SourceDriver =>
  new LocalFolderDriver(settings, limits);

class LocalFolderDriver implements SourceDriver {
  readonly #settings: LocalFolderSettings;
  readonly #limits: DriverLimits;

  constructor(settings: LocalFolderSettings, limits: DriverLimits) {
    this.#settings = settings;
    this.#limits = limits;
  }

  async check(signal: AbortSignal): Promise<void> {
    const { realPath } = await this.#open(signal);
    try {
      await (await opendir(realPath)).close();
    } catch (error) {
      throw toFolderFailure(error);
    }
  }

  list(signal: AbortSignal): AsyncIterable<Listing> {
    return inBatches(this.#walk(signal));
  }

  async open(file: RemoteFile, signal: AbortSignal): Promise<OpenedFile> {
    const { realPath } = await this.#open(signal);
    return openLocalFile(realPath, file, signal);
  }

  async close(): Promise<void> {} // nothing is kept open

  async *#walk(signal: AbortSignal): AsyncIterable<readonly Found[]> {
    const root = await this.#open(signal);
    const { recursive } = this.#settings;
    const listing = new FolderListing({ realRoot: root.realPath, recursive, budget: new ListingBudget(this.#limits) });
    const walk = walkFolder(root.realPath, {
      recursive,
      skipsFolder: ({ fsPath }) => listing.skips(fsPath),
      onUnreadable: (_path, error, fsPath) => listing.addUnreadable(fsPath, error),
      signal,
    });
    for await (const files of walk) {
      listing.add(files);
      yield listing.take();
    }
    signal.throwIfAborted();
    yield listing.take();
    if (await isStillThere(root)) return;
    throw new SourceError('unreachable', 'The folder was replaced while being read. The sync is retried later.');
  }

  /** Where the folder is now; asked for each call, as a link may have taken its place. */
  async #open(signal: AbortSignal): Promise<OpenRoot> {
    signal.throwIfAborted();
    const { path, roots } = this.#settings;
    try {
      const place = await findInRoots(path, roots);
      if (place.kind === 'outside') throw outsideRoots();
      if (place.kind === 'absent') throw noFolder();
      const opened = await openRoot({ path: place.realPath });
      if (opened.kind === 'open') return opened.root;
      throw opened.kind === 'link' ? outsideRoots() : noFolder();
    } catch (error) {
      throw toFolderFailure(error);
    }
  }
}
