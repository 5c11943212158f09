import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, lstatSync, type Stats, statSync } from 'node:fs';
import { readFile, realpath, rmdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeProblem } from '@sheaf/contract/operations';
import { FatalError, type Logger } from '@sheaf/process';
import { makeFolder } from '@sheaf/process/machine';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { chooseServerUser, findClosedFolder, type ServerUser } from './os-user.ts';

/** Where root keeps what the server's own OS user could not reach beside the configuration. */
export const SYSTEM_FOLDER = '/var/lib/sheaf';

/** Where the data directory is or is to be, and who runs the server there. */
export interface DataPlace {
  /** The real path: no link in it. */
  readonly path: string;
  readonly user: ServerUser;
  readonly exists: boolean;
}

const statOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });
const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
const canUse = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const holdsDatabase = (path: string): boolean => existsSync(join(path, 'PG_VERSION'));

/** The existing data directory that is meant by `dataPath`, links followed, or undefined. */
const findExisting = async (dataPath: string): Promise<string | undefined> => {
  if (isLink(dataPath) && statOf(dataPath) === undefined)
    throw new FatalError(makeProblem('embedded_database_link_broken', { path: dataPath }), EXIT.configuration);
  const stat = statOf(dataPath);
  if (stat === undefined) return undefined;
  const path = await realpath(dataPath);
  if (!canUse(path)) {
    const users = { owner: String(stat.uid), user: String(process.getuid?.()) };
    throw new FatalError(makeProblem('embedded_database_owned_by_other', { path, ...users }), EXIT.configuration);
  }
  return holdsDatabase(path) ? path : undefined;
};

const useExisting = async (path: string): Promise<DataPlace> => {
  const user = chooseServerUser(statOf(path));
  const closed = await findClosedFolder(user, path);
  if (closed === undefined) return { path, user, exists: true };
  const details = { path, user: String(user.uid) };
  const problem =
    closed === path
      ? makeProblem('embedded_database_not_owned', details)
      : makeProblem('embedded_database_folder_closed', { ...details, folder: closed });
  throw new FatalError(problem, EXIT.configuration);
};

const makeUsableFolder = async (path: string): Promise<void> => {
  try {
    await makeFolder(path, { mode: 0o755 });
    if (canUse(path)) return;
  } catch (error) {
    throw notWritable(path, error);
  }
  throw notWritable(path);
};
const notWritable = (path: string, cause?: unknown): FatalError =>
  new FatalError(makeProblem('embedded_database_not_writable', { path }), EXIT.configuration, cause);

const placeInSystemFolder = (dataPath: string): string =>
  join(SYSTEM_FOLDER, createHash('sha256').update(dataPath).digest('hex').slice(0, 12));

/**
 * Where the data meant by `dataPath` lives. Existing data is always used where it is. New data goes to `dataPath`, or,
 * for root, into the system's own folder when the server's user could not enter `dataPath`; `dataPath` is a link then
 * (`linkPlace`), so the data is found again after the project's folder was moved.
 */
export const chooseDataPlace = async (dataPath: string, log: Logger): Promise<DataPlace> => {
  const existing = await findExisting(dataPath);
  if (existing !== undefined) return useExisting(existing);

  await makeUsableFolder(dirname(dataPath));
  const user = chooseServerUser(undefined);
  const path = join(await realpath(dirname(dataPath)), dataPath.slice(dirname(dataPath).length));
  if (user.ids.uid === undefined) return { path, user, exists: false };
  const closed = await findClosedFolder(user, dirname(path));
  if (closed === undefined) return { path, user, exists: false };

  const moved = placeInSystemFolder(path);
  log.info({ closed_folder: closed, place: moved }, 'folder not accessible to the database user, using another data folder');
  await makeUsableFolder(SYSTEM_FOLDER);
  return holdsDatabase(moved) ? useExisting(moved) : { path: moved, user, exists: false };
};

/** Makes the configured path lead to data that lives elsewhere. */
export const linkPlace = async (dataPath: string, place: DataPlace): Promise<void> => {
  if (statOf(dataPath) !== undefined && (await realpath(dataPath)) === place.path) return;
  if (statOf(dataPath) !== undefined) await rmdir(dataPath); // empty: it was looked into before
  await symlink(place.path, dataPath);
};

/** Refuses data of another major version: PostgreSQL does not convert it. */
export const checkVersion = async (place: DataPlace, majorVersion: string): Promise<void> => {
  const found = (await readFile(join(place.path, 'PG_VERSION'), 'utf8')).trim();
  if (found === majorVersion) return;
  const details = { path: place.path, found, expected: majorVersion };
  throw new FatalError(makeProblem('embedded_database_version_differs', details), EXIT.configuration);
};
