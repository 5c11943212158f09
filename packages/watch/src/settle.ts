import { readdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { recordAudit } from '@sheaf/accounts/users';
import type { Db } from '@sheaf/db';
import { type Initiator, parkingName, REMOVED_FOLDER, type WatchDirectoryDeps } from './describe-directory.ts';
import {
  deleteWatchDirectory,
  findWatchDirectory,
  findWatchDirectoryByName,
  isDirectoryFailed,
  isSamePlace,
  listWatchDirectories,
  lockWatchDirectories,
  lookAt,
  makeDirectory,
  type OwnedDirectory,
  onDisk,
  openBase,
  reasonOf,
  renameWatchDirectory,
  syncDirectory,
} from './queries/watch-directories.ts';

/** Whether a directory is as it should be, as far as the table tells. */
const isSettled = ({ name, owner }: OwnedDirectory): boolean => owner !== null && owner.username === name;

type Change = (tx: Db, directory: OwnedDirectory) => Promise<Outcome>;

/**
 * Changes one directory in a transaction of its own. Never several in one: were they done on disk and then not committed, a name
 * could be taken for the directory that had it before. An error of the disk is an outcome, one of the database is thrown.
 */
const changeOne = async (deps: WatchDirectoryDeps, id: string, change: Change): Promise<Outcome> => {
  const outcome = await deps.db.transaction(async (tx): Promise<Outcome> => {
    await lockWatchDirectories(tx);
    const directory = await findWatchDirectory(tx, id);
    if (directory === undefined || isSettled(directory)) return SETTLED;
    try {
      return await change(tx, directory);
    } catch (error) {
      if (!isDirectoryFailed(error)) throw error;
      deps.log.debug({ err: error, name: directory.name }, 'watch folder could not be changed');
      return { kind: 'stuck', name: directory.name, reason: reasonOf(error) };
    }
  });
  if (outcome.kind === 'settled' && outcome.moved !== undefined) deps.log.info({ ...outcome.moved }, 'watch folder moved');
  return outcome;
};

const settleIn = (deps: WatchDirectoryDeps, base: string, id: string, by?: Initiator): Promise<Outcome> =>
  changeOne(deps, id, (tx, directory) =>
    directory.owner === null
      ? moveToRemoved(tx, { base, directory, now: deps.clock.now(), by })
      : renameDirectory(tx, { base, directory, to: directory.owner.username, by }),
  );

/**
 * Lets the directory follow its user who was renamed or deleted, where that has been committed. What cannot be done is logged; the
 * watcher tries it again at every scan.
 */
export const settleDirectory = async (deps: WatchDirectoryDeps, id: string, by?: Initiator): Promise<void> => {
  try {
    const outcome = await settleIn(deps, await openBase(deps.baseFolder), id, by);
    if (outcome.kind === 'stuck') deps.log.warn({ name: outcome.name, reason: outcome.reason }, 'watch folder change postponed');
  } catch (error) {
    deps.log.warn({ err: error, directory_id: id }, 'watch folder change postponed');
  }
};

/** Puts all directories in order and answers those that cannot be. */
export const settleAll = async (deps: WatchDirectoryDeps, base: string): Promise<(Outcome & { kind: 'stuck' })[]> => {
  for (;;) {
    const open = (await listWatchDirectories(deps.db)).filter((directory) => !isSettled(directory));
    const outcomes: Outcome[] = [];
    for (const { id } of open) outcomes.push(await settleIn(deps, base, id));
    // what is settled now may have had the name that another one waits for
    if (outcomes.some(({ kind }) => kind === 'settled')) continue;
    if (!(await openCircle(deps, base, open))) return outcomes.filter((outcome) => outcome.kind === 'stuck');
  }
};

/** Lets one step aside of those that wait for each other's names; false where none do. */
const openCircle = async (deps: WatchDirectoryDeps, base: string, open: readonly OwnedDirectory[]): Promise<boolean> => {
  const first = open.find((directory) => isInCircle(directory, open));
  if (first === undefined) return false;
  const { kind } = await changeOne(deps, first.id, (tx, directory) => renameDirectory(tx, { base, directory, to: parkingName(first.id) }));
  return kind === 'settled';
};

/** Whether the name that the directory waits for is held by one that waits as well, and so on round to its own. */
export const isInCircle = (directory: OwnedDirectory, open: readonly OwnedDirectory[]): boolean => {
  const byName = new Map(open.map((each) => [each.name.toLowerCase(), each]));
  const seen = new Set<string>();
  let current: OwnedDirectory | undefined = directory;
  while (current?.owner && !seen.has(current.id)) {
    seen.add(current.id);
    current = byName.get(current.owner.username.toLowerCase());
  }
  return current?.id === directory.id && seen.size > 1;
};

/** Nobody but the service and administrators of the machine: these are papers of somebody who is not here any more. */
const REMOVED_FOLDER_MODE = 0o700;

interface SettingAside {
  readonly base: string;
  /** Of a user who is gone. */
  readonly directory: OwnedDirectory;
  readonly now: Date;
  readonly by?: Initiator | undefined;
}

/**
 * Takes the directory of a deleted user out of use: an empty one goes, any other one is kept where nothing is read, so that nobody
 * who gets their name later gets their files.
 */
const moveToRemoved = async (tx: Db, { base, directory, now, by }: SettingAside): Promise<Outcome> => {
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
    const done = await findRemovedFolder(base, directory);
    return done === undefined ? { path: placeOf(directory, now), isKept: false } : { path: `${REMOVED_FOLDER}/${done}`, isKept: true };
  }
  if (await removeEmpty(from)) {
    await syncDirectory(base);
    return { path: placeOf(directory, now), isKept: false };
  }
  await makeDirectory(base, REMOVED_FOLDER, REMOVED_FOLDER_MODE);
  const path = await freePlace(base, placeOf(directory, now));
  await rename(from, join(base, path));
  await Promise.all([syncDirectory(join(base, REMOVED_FOLDER)), syncDirectory(base)]);
  return { path, isKept: true };
};

const ID_CHARACTERS = 8;
/** The end of the id, as its beginning is the time and nearly the same for all of a minute. */
const shortId = ({ id }: OwnedDirectory): string => id.slice(-ID_CHARACTERS);

const placeOf = (directory: OwnedDirectory, now: Date): string =>
  `${REMOVED_FOLDER}/${directory.name}-${now.toISOString().slice(0, 10).replaceAll('-', '')}-${shortId(directory)}`;

const findRemovedFolder = async (base: string, directory: OwnedDirectory): Promise<string | undefined> => {
  if ((await lookAt(join(base, REMOVED_FOLDER))) !== 'directory') return undefined;
  const names = await readdir(join(base, REMOVED_FOLDER));
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

interface Renaming {
  readonly base: string;
  readonly directory: OwnedDirectory;
  readonly to: string;
  readonly by?: Initiator | undefined;
}

/**
 * Gives a directory another name, first on disk and then in the table. Killed in between, it finds the old name gone and the new
 * one there, and only writes down what is so. What somebody else has under the new name is not touched.
 */
const renameDirectory = async (tx: Db, renaming: Renaming): Promise<Outcome> => {
  const { base, directory, to, by } = renaming;
  const rival = await findWatchDirectoryByName(tx, to);
  const isTaken = rival !== undefined && rival.id !== directory.id;
  const reason = isTaken
    ? `${to} is the watch folder of another user`
    : await onDisk('The watch folder could not be renamed', () => move(base, directory.name, to));
  if (reason !== undefined) return { kind: 'stuck', name: directory.name, reason };
  await renameWatchDirectory(tx, directory, to);
  await recordAudit(tx, {
    ...by,
    action: 'watch_directory.renamed',
    outcome: 'success',
    subject: { type: 'user', id: directory.owner?.id ?? directory.id },
    details: { from: directory.name, to },
  });
  return { kind: 'settled', moved: { name: directory.name, to } };
};

/** Renames it on disk, if it is there and nothing else is under the new name; else says why not. */
const move = async (base: string, name: string, to: string): Promise<string | undefined> => {
  const [from, target] = [join(base, name), join(base, to)];
  if ((await lookAt(from)) !== 'directory') return undefined;
  if ((await lookAt(target)) !== 'absent' && !(await isSamePlace(from, target)))
    return `its user was renamed to ${to}, but that path already exists; move it away`;
  await rename(from, target);
  await syncDirectory(base);
  return undefined;
};

/** What came of putting one directory in order. */
type Outcome =
  /** With the name it had and the one it has now, where that had to change. */
  | { readonly kind: 'settled'; readonly moved?: { readonly name: string; readonly to: string | null } }
  /** It stays as it is for now; tried again. */
  | { readonly kind: 'stuck'; readonly name: string; readonly reason: string };

const SETTLED: Outcome = { kind: 'settled' };
