import type { Stats } from 'node:fs';

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

/** A file that has a second name anywhere may be a file of someone else, which a link made to look like one of this folder. */
export type FileSort = 'file' | 'symlink' | 'hardlink' | 'other';

/** Something that is no folder, found below a root. */
export interface WatchedFile {
  /** Below the root, as text, with `/` between folders: what patterns judge. */
  readonly path: string;
  readonly name: string;
  readonly fsPath: FsPath;
  readonly sort: FileSort;
  readonly facts: FileFacts;
}

/** The years that come back from the database as they went in, in any time zone; a file system may tell nonsense far beyond. */
const [YEAR_101_MS, YEAR_9999_MS] = [-58_979_923_200_000, 253_402_300_799_000];

export const factsOf = (stats: Pick<Stats, 'size' | 'mtimeMs' | 'ctimeMs' | 'ino'>): FileFacts => ({
  sizeBytes: stats.size,
  modifiedMs: Math.min(Math.max(Math.floor(stats.mtimeMs), YEAR_101_MS), YEAR_9999_MS),
  changedMs: stats.ctimeMs,
  inode: stats.ino,
});

export const sortOf = (stats: Stats): FileSort => {
  if (stats.isFile()) return stats.nlink > 1 ? 'hardlink' : 'file';
  return stats.isSymbolicLink() ? 'symlink' : 'other';
};

/** Whether nobody wrote to the file, renamed another one over it or touched it between two looks. */
export const isSameFile = (a: FileFacts, b: FileFacts): boolean =>
  a.sizeBytes === b.sizeBytes && a.modifiedMs === b.modifiedMs && a.changedMs === b.changedMs && a.inode === b.inode;
