import type { Db } from '@sheaf/db';
import { openBase } from './base-folder.ts';
import type { Initiator, WatchDirectoryDeps } from './deps.ts';
import { parkingName } from './directory-name.ts';
import { isDirectoryFailed, reasonOf } from './errors.ts';
import { type Outcome, SETTLED } from './outcome.ts';
import { findWatchDirectory, listWatchDirectories, lockWatchDirectories, type OwnedDirectory } from './queries/watch-directories.ts';
import { renameDirectory } from './rename-directory.ts';
import { setAside } from './set-aside.ts';

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
      ? setAside(tx, { base, directory, now: deps.clock.now(), by })
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
