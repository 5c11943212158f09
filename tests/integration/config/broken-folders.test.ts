// Every program and command of the service with every folder of the configuration broken.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { VARIABLES, type VariableName } from '@sheaf/config';
import { CODE_CACHE_ENVIRONMENT, openTestDatabase } from '@sheaf/testkit';
import test, { type ExecutionContext } from 'ava';
import { fullOnly, oneIn } from '../../support/full-run.ts';
import { procfileEntries } from '../../support/stop-time.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDERS = (Object.keys(VARIABLES) as VariableName[]).filter((name) => ['own', 'watched'].includes(VARIABLES[name].folderUse ?? ''));

const folder = mkdtempSync(join(tmpdir(), 'sheaf-broken-'));
writeFileSync(join(folder, 'file'), 'x');
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

const GOOD = {
  DATA_PATH: join(folder, 'data'),
  UPLOAD_PATH: join(folder, 'uploads'),
  WATCH_FOLDER: join(folder, 'watch'),
  ENABLE_PER_USER_WATCH: 'true',
  MOVE_AFTER_PROCESSING: 'true',
};
/** Below /proc nothing can be made, by nobody. */
const BROKEN = {
  ENABLE_PER_USER_WATCH: 'true',
  MOVE_AFTER_PROCESSING: 'true',
  ...Object.fromEntries(FOLDERS.map((name) => [name, `/proc/x/${name}`])),
};

const run = async (command: readonly string[], env: Readonly<Record<string, string>>) => {
  const [file = '', ...args] = command;
  const child = spawn(file, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
    env: { PATH: process.env['PATH'], ...CODE_CACHE_ENVIRONMENT, PROBE_PORT_BASE: '0', SERVER_PORT: '0', ...env },
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status: child.exitCode, output: output + errors };
};

const checkRefused = async (
  t: ExecutionContext,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  names: readonly string[],
) => {
  const { status, output } = await run(command, env);
  t.is(status, 78, output);
  for (const name of names) t.regex(output, new RegExp(`\\b${name} can(not| hold)`), `${name}: ${output}`);
  t.notRegex(output, /\n\s+at /, 'no stack trace');
};

/** Each program names those that it uses; the supervisor and --config-test name all. */
const foldersOf = (program: string): VariableName[] =>
  FOLDERS.filter((name) => program === 'supervisor' || VARIABLES[name].usedBy?.includes(program as 'api') !== false);
const foldersOfCommand = ([, word = '']: readonly string[]): VariableName[] =>
  foldersOf(word === '--config-test' ? 'supervisor' : word === 'backup' ? 'backup' : 'command');

const PROGRAMS = ['api', 'ocr-worker', 'watcher', 'sync', 'supervisor'] as const;
const commandOf = (program: string): string[] => ['bin/sheaf-node', `apps/${program}/src/main.ts`];
const COMMANDS = [
  ['bin/sheaf', 'password', 'root'],
  ['bin/sheaf', '--config-test'],
  ['bin/migrate', 'status'],
  ['bin/migrate_to_s3', '--dry-run'],
  ['bin/sheaf', 'verify'],
  ['bin/sheaf', 'backup'],
  ['bin/sheaf', 'restore', folder],
  ['bin/sheaf', 'drain', 'host'],
  ['bin/sheaf', 'facts'],
  ['bin/sheaf', 'import', 'folder', folder, '--owner', 'root'],
  ['bin/sheaf', 'export', 'paperless', join(folder, 'export')],
  ['bin/sheaf', 'openapi'],
];

test.serial('each line of the Procfile starts with another Node first in PATH', async (t) => {
  const strangers = join(folder, 'strangers');
  mkdirSync(strangers);
  writeFileSync(join(strangers, 'node'), '#!/bin/sh\nexit 99\n', { mode: 0o755 });
  for (const { name, command } of oneIn(9, procfileEntries())) {
    const { status, output } = await run(['/bin/sh', '-c', command.join(' ')], { ...BROKEN, PATH: `${strangers}:/usr/bin:/bin` });
    t.is(status, 78, `${name}: ${output}`);
  }
});

// one after the other: a machine that starts them all at once meets its limits
for (const program of oneIn(2, PROGRAMS))
  test.serial(`${program} names every folder that it uses and that cannot be made, and ends with 78`, (t) =>
    checkRefused(t, commandOf(program), BROKEN, foldersOf(program)),
  );

for (const [index, command] of COMMANDS.entries())
  (index < 1 ? test.serial : fullOnly(test.serial))(
    `${command.slice(0, 2).join(' ')} names every folder that it uses and that cannot be made, and ends with 78`,
    (t) => checkRefused(t, command, BROKEN, foldersOfCommand(command)),
  );

for (const program of PROGRAMS)
  for (const name of foldersOf(program))
    fullOnly(test.serial)(`${program} ends with 78 where ${name} alone is broken`, (t) =>
      checkRefused(t, commandOf(program), { ...GOOD, [name]: '/proc/x' }, [name]),
    );

test.serial('a program that runs alone does not ask for the folders of others', async (t) => {
  const others = FOLDERS.filter((name) => !foldersOf('ocr-worker').includes(name));
  t.true(others.length > 0);
  const env = { ...GOOD, ...Object.fromEntries(others.map((name) => [name, `/proc/x/${name}`])) };
  const { status, output } = await run(commandOf('ocr-worker'), env);
  t.is(status, 78, output);
  t.regex(output, /DATABASE_URL is not set/, 'what ends it is that there is no database');
  t.notRegex(output, /cannot be used/);
});

test.serial('a folder that went while the service runs is named by the worker that is started again, without a stack trace', async (t) => {
  await using database = await openTestDatabase();
  const env = { ...GOOD, DATABASE_URL: database.url.reveal(), SUPERVISOR_PROBE_PORT: '9', TEMP_STORAGE_PATH: '/proc/x/y' };
  const { status, output } = await run(['bin/sheaf-node', 'apps/ocr-worker/src/main.ts'], env);
  t.is(status, 1, output);
  t.regex(output, /TEMP_STORAGE_PATH: the folder \/proc\/x\S* cannot be used: no such file or directory \(ENOENT\)/);
  t.notRegex(output, /\n\s+at /, output);
});
