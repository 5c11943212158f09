import { link, rename, unlink } from 'node:fs/promises';
import { type HeldFolder, systemCode } from '@sheaf/storage/folders';
import { lookAt } from './file-identity.ts';
import { numberedName } from './numbered-name.ts';
import { Reservation } from './reservation.ts';

/** A name in a folder. */
export interface Place {
  readonly folder: HeldFolder;
  readonly name: Buffer;
}

/** A name that something has. */
const TAKEN = new Set(['EEXIST', 'ENOTEMPTY', 'ENOTDIR']);

/**
 * Gives what is at `from` the name `to` on the same file system without overwriting anything: a name that is taken gets a number.
 * Throws system errors, and then it is still at `from`.
 */
export const putBack = async (from: Place, to: Place): Promise<void> => {
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
