import { ledgerReason } from '@sheaf/contract/imports';
import type { FileSort, FsPath, WatchedFile } from '@sheaf/storage/folders';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import type { Found } from '../batches.ts';
import type { ListingBudget } from '../listing-budget.ts';
import { refusalOfName, showPath } from '../remote-path.ts';
import { toFolderFailure } from './folder-failure.ts';

const NOT_TAKEN: Readonly<Record<Exclude<FileSort, 'file'>, LedgerReason>> = {
  symlink: ledgerReason('symbolic_link'),
  hardlink: ledgerReason('hard_link'),
  other: ledgerReason('not_a_file'),
};

const UNREADABLE_FOLDER = ledgerReason('folder_unreadable');
const NOT_UTF8 = ledgerReason('not_unicode');

export interface ListingOptions {
  readonly realRoot: string;
  readonly recursive: boolean;
  readonly budget: ListingBudget;
}

/** Sorts what a walk meets into files and what is refused. */
export class FolderListing {
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
