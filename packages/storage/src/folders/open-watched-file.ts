import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';

/** What would be seen as something else than it is, or is no name on some system: controls, turned directions, paths, wildcards. */
const UNWANTED = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const NOT_IN_NAMES = /[/\\:*?"<>|]/g;

/** `text` without what no name of a file may have; `instead` stands for what leads elsewhere or is a wildcard. */
export const plainName = (text: string, instead: string): string =>
  text.toWellFormed().replaceAll(UNWANTED, '').replaceAll(NOT_IN_NAMES, instead).normalize('NFC');

/** The whole characters of `text` that have room in `maxBytes` of UTF-8. */
export const withinBytes = (text: string, maxBytes: number): string => {
  let room = maxBytes;
  let kept = '';
  for (const character of text) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    kept += character;
  }
  return kept;
};

export type PlaceOutcome =
  /** A folder, by its path with all links followed. */
  | { readonly kind: 'inside'; readonly realPath: string }
  /** It would be inside, and there is no folder. */
  | { readonly kind: 'absent' }
  /** Not in any root, or only by a link. */
  | { readonly kind: 'outside' };

/**
 * Looks where a folder lies. A root may be reached by links, as whoever configured it chose; below it none is followed. Throws
 * system errors but ENOENT and ENOTDIR.
 */
export const findInRoots = async (path: string, roots: readonly string[]): Promise<PlaceOutcome> => {
  let outcome: PlaceOutcome = { kind: 'outside' };
  for (const root of roots) {
    const found = await findInRoot(resolve(path), resolve(root));
    if (found.kind === 'inside') return found;
    if (found.kind === 'absent') outcome = found;
  }
  return outcome;
};

const findInRoot = async (path: string, root: string): Promise<PlaceOutcome> => {
  const realRoot = await unlessAbsent(realpath(root));
  const below = [root, realRoot ?? root].map((base) => relative(base, path)).find(leadsDown);
  if (below === undefined) return { kind: 'outside' };
  const realPath = await unlessAbsent(realpath(path));
  if (realPath === undefined || realRoot === undefined) return { kind: 'absent' };
  if (realPath !== join(realRoot, below)) return { kind: 'outside' };
  const facts = await unlessAbsent(stat(realPath));
  return facts?.isDirectory() === true ? { kind: 'inside', realPath } : { kind: 'absent' };
};

const leadsDown = (below: string): boolean => below !== '..' && !below.startsWith('../');

const unlessAbsent = async <T>(asking: Promise<T>): Promise<T | undefined> => {
  try {
    return await asking;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
};

/** It is there, but not for us, or not now. */
export interface Unreadable {
  readonly kind: 'unreadable';
  readonly why: 'no_right' | 'kept' | 'other';
  /** In words. */
  readonly reason: string;
}

/** Why a file could not be opened as what it was seen to be. */
type OpenFailure =
  /** Gone, or another file than the one that was looked at: the next scan sees what it is. */
  | { readonly kind: 'changed' }
  | Unreadable
  /** Reached through a folder that was replaced by a link out of the watched root. */
  | { readonly kind: 'outside' };

export type OpenOutcome = { readonly kind: 'open'; readonly handle: FileHandle } | OpenFailure;

/** No link in the last part of the path, and no waiting for the other end of a fifo that took the place of the file. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

const CHANGED = new Set(['ENOENT', 'ELOOP', 'ENOTDIR', 'ENXIO', 'EISDIR']);

const NO_RIGHT: Unreadable = { kind: 'unreadable', why: 'no_right', reason: 'no read permission; grant the service read access' };
const KEPT: Unreadable = { kind: 'unreadable', why: 'kept', reason: 'another program has locked it' };
const UNREADABLE: Readonly<Record<string, Unreadable>> = { EACCES: NO_RIGHT, EPERM: NO_RIGHT, EBUSY: KEPT, EAGAIN: KEPT, ETXTBSY: KEPT };

/** Opens the regular file that was seen, and nothing else: everything is checked on the open file, where no one can swap it. */
export const openWatchedFile = async (file: WatchedFile, realRoot: string): Promise<OpenOutcome> => {
  let handle: FileHandle;
  try {
    handle = await open(file.fsPath, FLAGS);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (CHANGED.has(code)) return { kind: 'changed' };
    return UNREADABLE[code] ?? { kind: 'unreadable', why: 'other', reason: `file system error ${code}` };
  }
  const failure = await check(handle, file, realRoot);
  if (failure === undefined) return { kind: 'open', handle };
  await handle.close();
  return failure;
};

const check = async (handle: FileHandle, file: WatchedFile, realRoot: string): Promise<OpenFailure | undefined> => {
  if (!(await isUnchanged(handle, file))) return { kind: 'changed' };
  const realPath = await readlink(`/proc/self/fd/${handle.fd}`, { encoding: 'buffer' });
  const root = Buffer.from(realRoot.endsWith('/') ? realRoot : `${realRoot}/`);
  if (realPath.subarray(0, root.length).equals(root)) return undefined;
  // The root itself was renamed meanwhile, with everything in it: that is nothing the file could be blamed for.
  return (await isStillThere(realRoot)) ? { kind: 'outside' } : { kind: 'changed' };
};

const isStillThere = (realRoot: string): Promise<boolean> =>
  realpath(realRoot).then(
    (path) => path === realRoot,
    () => false,
  );

/** Whether the open file is still the one that was looked at, byte for byte as far as the file system tells. */
export const isUnchanged = async (handle: FileHandle, { facts }: WatchedFile): Promise<boolean> => {
  const stats = await handle.stat();
  return sortOf(stats) === 'file' && isSameFile(factsOf(stats), facts);
};

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
