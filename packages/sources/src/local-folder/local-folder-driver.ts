import { lstat, opendir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ledgerReason } from '@sheaf/contract/imports';
import {
  type FileSort,
  type FsPath,
  factsOf,
  findInRoots,
  HeldFolder,
  isStillThere,
  isUnchanged,
  type OpenRoot,
  openRoot,
  openWatchedFile,
  sortOf,
  systemCode,
  type WatchedFile,
  walkFolder,
} from '@sheaf/storage/folders';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import { type DriverLimits, ListingBudget, refusalOfName, refusalOfParts, showPath } from '../listing-budget.ts';
import { type Found, inBatches, type Listing, type OpenedFile, type RemoteFile, type SourceDriver, SourceError } from '../source-driver.ts';
import { FileBody } from './file-body.ts';

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

const changed = (): SourceError => new SourceError('changed', 'The file has changed since it was listed.');
const outside = (): SourceError => new SourceError('refused', 'The file is outside the folder: its path contains a link.');

/** Opens the very file that was listed. Throws SourceError, or the signal's reason. */
const openLocalFile = async (realRoot: string, listed: RemoteFile, signal: AbortSignal): Promise<OpenedFile> => {
  const file = await lookAt(realRoot, listed);
  const { sizeBytes, modifiedMs } = file.facts;
  if ((listed.sizeBytes ?? sizeBytes) !== sizeBytes || (listed.modifiedAt?.getTime() ?? modifiedMs) !== modifiedMs) throw changed();
  const opened = await openWatchedFile(file, realRoot);
  switch (opened.kind) {
    case 'changed':
      throw changed();
    case 'outside':
      throw outside();
    case 'unreadable':
      throw new SourceError('unauthorized', `The file cannot be read: ${opened.reason}.`);
    case 'open':
      break;
  }
  let wasUnchanged = false;
  const body = new FileBody(opened.handle, sizeBytes, async () => {
    wasUnchanged = await isUnchanged(opened.handle, file);
  });
  endWith(body, signal);
  return { body, sizeBytes, modifiedAt: new Date(modifiedMs), etag: undefined, isUnchanged: async () => wasUnchanged };
};

const endWith = (body: FileBody, signal: AbortSignal): void => {
  const onAbort = (): void => {
    body.destroy(signal.reason as Error);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  body.once('close', () => signal.removeEventListener('abort', onAbort));
  if (signal.aborted) onAbort();
};

/** What the name is now, asked of a folder that is held open, so that no link on the way shows a file from elsewhere. */
const lookAt = async (realRoot: string, { path }: RemoteFile): Promise<WatchedFile> => {
  const reason = refusalOfParts(path.split('/'));
  if (reason !== undefined) throw new SourceError('refused', `The file cannot be opened: ${reason.message}.`);
  const fsPath = join(realRoot, path);
  const name = basename(fsPath);
  try {
    await using folder = await HeldFolder.open(dirname(fsPath));
    if (!(await folder.isWithin(realRoot))) throw outside();
    const stats = await lstat(folder.pathOf(Buffer.from(name)));
    if (sortOf(stats) !== 'file') throw changed();
    return { path, name, fsPath, sort: 'file', facts: factsOf(stats) };
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(code)) throw new SourceError('not_found', 'The file no longer exists.', { cause: error });
    throw toFolderFailure(error);
  }
};

const NOT_TAKEN: Readonly<Record<Exclude<FileSort, 'file'>, LedgerReason>> = {
  symlink: ledgerReason('symbolic_link'),
  hardlink: ledgerReason('hard_link'),
  other: ledgerReason('not_a_file'),
};

const UNREADABLE_FOLDER = ledgerReason('folder_unreadable');
const NOT_UTF8 = ledgerReason('not_unicode');

interface ListingOptions {
  readonly realRoot: string;
  readonly recursive: boolean;
  readonly budget: ListingBudget;
}

/** Sorts what a walk meets into files and what is refused. */
class FolderListing {
  readonly #options: ListingOptions;
  #found: Found[] = [];
  #failure: unknown;

  constructor(options: ListingOptions) {
    this.#options = options;
  }

  /** Throws SourceError too_large. */
  add(files: readonly WatchedFile[]): void {
    for (const file of files) this.#addFile(file);
  }

  /** Whether the folder is refused with all that is in it. Throws SourceError too_large. */
  skips(fsPath: FsPath): boolean {
    if (!this.#options.recursive) return false;
    const place = this.#placeOf(fsPath);
    if (place.refusal === undefined) this.#options.budget.takeFolder(place.path);
    else this.#refuse(place.path, place.refusal, true);
    return place.refusal !== undefined;
  }

  /** Nothing was learnt of what is there, if it is a folder. */
  addUnreadable(fsPath: FsPath, error: unknown): void {
    const { path } = this.#placeOf(fsPath);
    if (path === '') this.#failure ??= toFolderFailure(error);
    else this.#refuse(path, UNREADABLE_FOLDER, true);
  }

  /** What was added since the last call. Throws SourceError where the root cannot be read. */
  take(): readonly Found[] {
    if (this.#failure !== undefined) throw this.#failure;
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #addFile({ fsPath, sort, facts }: WatchedFile): void {
    const { path, refusal } = this.#placeOf(fsPath);
    // A link may lead to a folder, and may have taken the place of one.
    if (sort !== 'file') return this.#refuse(path, NOT_TAKEN[sort], sort === 'symlink');
    if (refusal !== undefined) return this.#refuse(path, refusal, false);
    this.#options.budget.takeFile(path);
    this.#found.push({ file: { path, sizeBytes: facts.sizeBytes, modifiedAt: new Date(facts.modifiedMs), etag: undefined } });
  }

  #refuse(path: string, reason: LedgerReason, isFolder: boolean): void {
    this.#options.budget.takeEntry();
    this.#found.push({ refused: { path: showPath(path), reason, isFolder } });
  }

  /** The path below the root, and why it cannot be one of a file. The names above the last were asked about before. */
  #placeOf(fsPath: FsPath): { readonly path: string; readonly refusal: LedgerReason | undefined } {
    const { realRoot } = this.#options;
    const start = realRoot === '/' ? 1 : Buffer.byteLength(realRoot) + 1;
    const path = Buffer.from(fsPath as string)
      .subarray(start)
      .toString();
    const refusal = typeof fsPath === 'string' ? refusalOfName(path.slice(path.lastIndexOf('/') + 1)) : NOT_UTF8;
    return { path, refusal };
  }
}

const NO_RIGHT = new Set(['EACCES', 'EPERM']);

/** What an error of the file system means for a source. Anything else stays as it is. */
const toFolderFailure = (error: unknown): unknown => {
  const code = systemCode(error);
  if (code === undefined) return error;
  if (code === 'ENOENT' || code === 'ENOTDIR') return noFolder(error);
  if (NO_RIGHT.has(code)) {
    return new SourceError('unauthorized', 'The service has no permission to read the folder. Grant it read access.', { cause: error });
  }
  return new SourceError('server_error', `The file system of the folder returned ${code}. The sync is retried later.`, { cause: error });
};

const noFolder = (cause?: unknown): SourceError =>
  new SourceError('not_found', 'The folder does not exist. Check the path and whether the file system is mounted.', { cause });

const outsideRoots = (): SourceError =>
  new SourceError('refused', 'The folder is not inside LOCAL_SOURCE_ROOTS, or its path contains a link. Use the real path of the folder.');
