import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';

/** A path for the file system: bytes where the name is no valid UTF-8, which Linux allows. */
export type FsPath = string | Buffer;

/** What can change about a file, as far as one look at it tells. */
export interface FileFacts {
  readonly sizeBytes: number;
  /** Whole milliseconds: what a timestamp of the ledger keeps. */
  readonly modifiedMs: number;
  readonly changedMs: number;
  readonly inode: number;
}

export type FileSort = 'file' | 'symlink' | 'other';

/** Something that is no folder, found below the watched root. */
export interface WatchedFile {
  /** Below the root, with `/` between folders; how the ledger knows it. */
  readonly ledgerPath: string;
  readonly name: string;
  readonly fsPath: FsPath;
  readonly sort: FileSort;
  readonly facts: FileFacts;
}

/** The years that every timestamp can hold; a file system may tell nonsense far beyond. */
const [YEAR_1_MS, YEAR_9999_MS] = [-62_135_596_800_000, 253_402_300_799_000];

export const factsOf = (stats: Stats): FileFacts => ({
  sizeBytes: stats.size,
  modifiedMs: Math.min(Math.max(Math.floor(stats.mtimeMs), YEAR_1_MS), YEAR_9999_MS),
  changedMs: stats.ctimeMs,
  inode: stats.ino,
});

export const sortOf = (stats: Stats): FileSort => (stats.isFile() ? 'file' : stats.isSymbolicLink() ? 'symlink' : 'other');

/** Whether nobody wrote to the file, renamed another one over it or touched it between two looks. */
export const isSameFile = (a: FileFacts, b: FileFacts): boolean =>
  a.sizeBytes === b.sizeBytes && a.modifiedMs === b.modifiedMs && a.changedMs === b.changedMs && a.inode === b.inode;

/** The same file as it is now; undefined when it is gone or out of reach, which the next walk tells apart. */
export const lookAgain = async (file: WatchedFile): Promise<WatchedFile | undefined> => {
  try {
    const stats = await lstat(file.fsPath);
    return { ...file, sort: sortOf(stats), facts: factsOf(stats) };
  } catch {
    return undefined;
  }
};
