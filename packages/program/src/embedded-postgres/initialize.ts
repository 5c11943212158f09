import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Secret } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import { FatalError, type Logger } from '@sheaf/process';
import { processStart, syncPath } from '@sheaf/process/machine';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { type Binaries, type DataPlace, programPath, runAs, type ServerUser } from './data-place.ts';

export const SUPERUSER = 'sheaf';
export const DATABASE = 'sheaf';

// Not --locale=C: pg_trgm makes no trigrams of non-ASCII letters under it. Without an encoding the environment decides.
const LOCALE = ['--encoding=UTF8', '--locale=C.UTF-8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

/** Several starters may draft at the same time: the draft names its maker, and the drafts of dead makers are swept. */
const draftName = (place: string): string => `${place}.draft-${process.pid}-${processStart(process.pid)}-${randomBytes(3).toString('hex')}`;

const sweepDrafts = async (place: string): Promise<void> => {
  const prefix = `${basename(place)}.draft-`;
  for (const name of await readdir(dirname(place))) {
    if (!name.startsWith(prefix)) continue;
    const [pid, startTime] = name.slice(prefix.length).split('-');
    if (processStart(Number(pid)) !== startTime) await rm(join(dirname(place), name), { recursive: true, force: true });
  }
};

/** Gives a finished draft its name. False when another starter was faster. */
const publish = async (draft: string, place: string): Promise<boolean> => {
  try {
    await rename(draft, place);
    await syncPath(dirname(place));
    return true;
  } catch (error) {
    if (existsSync(join(place, 'PG_VERSION'))) return false;
    throw new FatalError(makeProblem('embedded_database_folder_not_empty', { path: place }), EXIT.configuration, error);
  }
};

/**
 * Makes the data directory with superuser and database. All is made in a draft beside it, so a crash in the middle
 * leaves nothing that stands in the way of the next start.
 */
export const initialize = async (place: DataPlace, binaries: Binaries, password: Secret, durable: boolean): Promise<void> => {
  await sweepDrafts(place.path);
  const draft = draftName(place.path);
  const data = join(draft, 'data');
  const passwordFile = join(draft, 'password');
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeFile(passwordFile, `${password.reveal()}\n`, { mode: 0o600 });
    const { uid, gid } = place.user.ids;
    if (uid !== undefined && gid !== undefined) for (const path of [draft, passwordFile]) await chown(path, uid, gid);
    const login = [`--username=${SUPERUSER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
    await runAs(place.user, programPath(binaries, 'initdb'), [`--pgdata=${data}`, ...login, ...LOCALE, '--no-sync', '--no-instructions']);
    await runSingleUser(place.user, binaries, data, `CREATE DATABASE ${DATABASE};\n`);
    await writePasswordMark(place.user, data, passwordMark(password));
    await chmod(data, 0o700);
    if (durable) await runAs(place.user, programPath(binaries, 'initdb'), [`--pgdata=${data}`, '--sync-only']);
    await publish(data, place.path);
  } catch (error) {
    if (error instanceof FatalError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new FatalError(makeProblem('embedded_database_not_created', { path: place.path, error: reason }), EXIT.failed, error);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
};

/** Tells whether the superuser's password is the configured one. The password is random, so its hash gives nothing away. */
const passwordMark = (password: Secret): string => createHash('sha256').update(password.reveal()).digest('hex');

const markPath = (dataPath: string): string => join(dataPath, 'sheaf-password.sha256');

const writePasswordMark = async (user: ServerUser, dataPath: string, mark: string): Promise<void> => {
  await writeFile(markPath(dataPath), `${mark}\n`, { mode: 0o600 });
  const { uid, gid } = user.ids;
  if (uid !== undefined && gid !== undefined) await chown(markPath(dataPath), uid, gid);
};

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Sets the superuser's password when the configured one has changed since, such as after the secrets were made anew. */
export const keepPassword = async (
  place: DataPlace,
  binaries: Binaries,
  superuser: string,
  password: Secret,
  log: Logger,
): Promise<void> => {
  const mark = passwordMark(password);
  const found = await readFile(markPath(place.path), 'utf8').catch(() => '');
  if (found.trim() === mark) return;
  log.warn({ place: place.path }, 'password of the embedded database changed, updating it');
  await runSingleUser(place.user, binaries, place.path, `ALTER ROLE ${superuser} PASSWORD ${quoted(password.reveal())};\n`);
  await writePasswordMark(place.user, place.path, mark);
};

/** Runs SQL on a data directory whose server is down, one statement a line. Needs no password and no port. */
const runSingleUser = async (user: ServerUser, binaries: Binaries, dataPath: string, sql: string): Promise<void> => {
  const settings = ['-c', 'exit_on_error=on', '-c', 'log_min_error_statement=panic', '-c', 'unix_socket_directories='];
  await runAs(user, programPath(binaries, 'postgres'), ['--single', '-D', dataPath, ...settings, 'template1'], sql);
};
