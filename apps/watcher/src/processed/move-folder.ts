import type { Dirent } from 'node:fs';
import { link, opendir, rename, rmdir, unlink } from 'node:fs/promises';
import { uuidv7 } from '@sheaf/process';
import { HeldFolder, systemCode } from '@sheaf/storage/folders';
import type { Source } from './source.ts';
import { isSameFileAndBytes, lookAt, numberedName, Reservation } from './target-folder.ts';

const PREFIX = '.sheaf-moving-';
const MOVE_FOLDER = /^\.sheaf-moving-[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

export const isMoveFolder = (name: string): boolean => MOVE_FOLDER.test(name);

/**
 * Removes the source if it is still the very file that was opened. Between looking and removing, another file could take its name:
 * so it is caught in a folder of its own first, where nobody else writes, and what should not have been caught is restored.
 */
export const removeSource = async (source: Source, at: (point: 'caught' | 'removed') => void | Promise<void>): Promise<void> => {
  await source.handle.close(); // a file that is removed while it is open stays on NFS, under another name
  const { folder, name } = source;
  const privateName = Buffer.from(`${PREFIX}${uuidv7()}`);
  await folder.makeChild(privateName, 0o700);
  try {
    await using privateFolder = await folder.openChild(privateName);
    const caught: Place = { folder: privateFolder, name };
    if (!(await catchFile(source, caught))) return;
    await at('caught');
    if (isSameFileAndBytes(source.stats, await lookAt(privateFolder.pathOf(name)))) await removeCaught(caught, source);
    else await moveBack(caught, source);
    await at('removed');
  } finally {
    await clearAway(folder, privateName);
  }
};

const removeCaught = async (caught: Place, source: Source): Promise<void> => {
  try {
    await unlink(caught.folder.pathOf(caught.name));
  } catch (error) {
    await moveBack(caught, source);
    throw error;
  }
};

/** False when nothing has the name any more. */
const catchFile = async (source: Source, caught: Place): Promise<boolean> => {
  try {
    await rename(source.path, caught.folder.pathOf(caught.name));
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
};

const clearAway = async (folder: HeldFolder, privateName: Buffer): Promise<void> => {
  try {
    await rmdir(folder.pathOf(privateName));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  await folder.sync();
};

/** A move catches one file. Whoever makes such a folder by themselves and fills it shall not keep all others waiting. */
const MAX_RELEASED = 16;

/**
 * Puts what a killed move caught in this folder back beside it, and removes the folder. Where somebody has put more there than any
 * move does, some of it comes back each time. Throws system errors.
 */
export const releaseCaught = async ({ folder, name }: Place): Promise<void> => {
  {
    await using privateFolder = await folder.openChild(name);
    const names = await firstNames(privateFolder);
    for (const caught of names) await moveBack({ folder: privateFolder, name: caught }, { folder, name: caught });
    if (names.length === MAX_RELEASED) return;
  }
  await clearAway(folder, name);
};

const firstNames = async (folder: HeldFolder): Promise<Buffer[]> => {
  const names: Buffer[] = [];
  // The types of Node do not know that names come as bytes here.
  const entries = (await opendir(folder.path, { encoding: 'buffer' as BufferEncoding })) as unknown as AsyncIterable<Dirent<Buffer>>;
  for await (const entry of entries) {
    names.push(entry.name);
    if (names.length === MAX_RELEASED) break;
  }
  return names;
};

/** A name in a folder. */
interface Place {
  readonly folder: HeldFolder;
  readonly name: Buffer;
}

/** A name that something has. */
const TAKEN = new Set(['EEXIST', 'ENOTEMPTY', 'ENOTDIR']);

/**
 * Gives what is at `from` the name `to` on the same file system without overwriting anything: a name that is taken gets a number.
 * Throws system errors, and then it is still at `from`.
 */
export const moveBack = async (from: Place, to: Place): Promise<void> => {
  const found = await lookAt(from.folder.pathOf(from.name));
  if (found === undefined) return;
  if (found.isDirectory()) await untilFree(to, (path) => rename(from.folder.pathOf(from.name), path));
  else await putFileBack(from, to);
  await to.folder.sync();
};

const putFileBack = async (from: Place, to: Place): Promise<void> => {
  const path = from.folder.pathOf(from.name);
  // Killed after the link and before the unlink: it has its name already.
  if (await isOneFile(path, to.folder.pathOf(to.name))) return unlink(path);
  try {
    await untilFree(to, (target) => link(path, target));
    await unlink(path);
  } catch (error) {
    if (!CANNOT_LINK.has(systemCode(error) ?? '')) throw error;
    await using reservation = Reservation.make(to.folder, to.name, false);
    await reservation.fill(path);
  }
};

const isOneFile = async (a: Buffer, b: Buffer): Promise<boolean> => {
  const [one, other] = [await lookAt(a), await lookAt(b)];
  return one !== undefined && one.dev === other?.dev && one.ino === other.ino;
};

/** A file system without links, or a file of another user, which this process may rename but not link. */
const CANNOT_LINK = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

const untilFree = async ({ folder, name }: Place, work: (path: Buffer) => Promise<void>): Promise<void> => {
  for (let number = 0; ; number += 1)
    try {
      return await work(folder.pathOf(numberedName(name, number)));
    } catch (error) {
      if (!TAKEN.has(systemCode(error) ?? '')) throw error;
    }
};
