import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { makeProblem } from '@sheaf/contract/operations';
import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';

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
