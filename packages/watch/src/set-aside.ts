import { readdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { recordAudit } from '@sheaf/accounts/users';
import type { Db } from '@sheaf/db';
import { lookAt, makeDirectory, syncDirectory } from './base-folder.ts';
import type { Initiator } from './deps.ts';
import { SET_ASIDE } from './directory-name.ts';
import { onDisk } from './errors.ts';
import type { Outcome } from './outcome.ts';
import { deleteWatchDirectory, type OwnedDirectory } from './queries/watch-directories.ts';

/** Nobody but the service and administrators of the machine: these are papers of somebody who is not here any more. */
const SET_ASIDE_MODE = 0o700;

export interface SettingAside {
  readonly base: string;
  /** Of a user who is gone. */
  readonly directory: OwnedDirectory;
  readonly now: Date;
  readonly by?: Initiator | undefined;
}

/**
 * Takes the directory of a deleted user out of use: an empty one goes, any other one is kept where nothing is read, so that nobody
 * who gets his name later gets his files.
 */
export const setAside = async (tx: Db, { base, directory, now, by }: SettingAside): Promise<Outcome> => {
  const place = await onDisk('The watch folder could not be quarantined', () => putAway(base, directory, now));
  const keptAs = place.isKept ? place.path : null;
  await deleteWatchDirectory(tx, directory, place.path);
  await recordAudit(tx, {
    ...by,
    action: 'watch_directory.set_aside',
    outcome: 'success',
    subject: { type: 'watch_directory', id: directory.id },
    details: { name: directory.name, kept_as: keptAs },
  });
  return { kind: 'settled', moved: { name: directory.name, to: keptAs } };
};

/** Where what was in the directory is now, below the base; also where nothing was kept, for the ledger to point at. */
const putAway = async (base: string, directory: OwnedDirectory, now: Date): Promise<{ path: string; isKept: boolean }> => {
  const from = join(base, directory.name);
  if ((await lookAt(from)) !== 'directory') {
    // a crash may have come between the disk and the table
    const done = await findSetAside(base, directory);
    return done === undefined ? { path: placeOf(directory, now), isKept: false } : { path: `${SET_ASIDE}/${done}`, isKept: true };
  }
  if (await removeEmpty(from)) {
    await syncDirectory(base);
    return { path: placeOf(directory, now), isKept: false };
  }
  await makeDirectory(base, SET_ASIDE, SET_ASIDE_MODE);
  const path = await freePlace(base, placeOf(directory, now));
  await rename(from, join(base, path));
  await Promise.all([syncDirectory(join(base, SET_ASIDE)), syncDirectory(base)]);
  return { path, isKept: true };
};

const ID_CHARACTERS = 8;
/** The end of the id, as its beginning is the time and nearly the same for all of a minute. */
const shortId = ({ id }: OwnedDirectory): string => id.slice(-ID_CHARACTERS);

const placeOf = (directory: OwnedDirectory, now: Date): string =>
  `${SET_ASIDE}/${directory.name}-${now.toISOString().slice(0, 10).replaceAll('-', '')}-${shortId(directory)}`;

const findSetAside = async (base: string, directory: OwnedDirectory): Promise<string | undefined> => {
  if ((await lookAt(join(base, SET_ASIDE))) !== 'directory') return undefined;
  const names = await readdir(join(base, SET_ASIDE));
  return names.find((name) => name.startsWith(`${directory.name}-`) && name.endsWith(`-${shortId(directory)}`));
};

const freePlace = async (base: string, path: string): Promise<string> => {
  for (let n = 1; ; n += 1) {
    const candidate = n === 1 ? path : `${path}-${n}`;
    if ((await lookAt(join(base, candidate))) === 'absent') return candidate;
  }
};

const removeEmpty = async (path: string): Promise<boolean> => {
  try {
    await rmdir(path);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
};
