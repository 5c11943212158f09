import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { factsOf, isSameFile, sortOf, type WatchedFile } from './watched-file.ts';

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
