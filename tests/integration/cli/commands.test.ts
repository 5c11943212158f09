import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CODE_CACHE_ENVIRONMENT, makeServiceFolder, openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { z } from 'zod';
import { runSheafHere } from '../../support/command-in-process.ts';

const SHEAF = join(import.meta.dirname, '../../../bin/sheaf');

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const { status, stdout, stderr } = spawnSync(SHEAF, args, {
    encoding: 'utf8',
    timeout: 120_000,
    maxBuffer: 16 * 1024 ** 2,
    env: { PATH: '/usr/bin:/bin', ...CODE_CACHE_ENVIRONMENT, ...env },
  });
  return { status, stdout, stderr };
};

const COMMANDS = ['verify', 'backup', 'openapi'] as const;

/** A command of apps/cli in this process, that of another app as a program. */
const call = async (command: (typeof COMMANDS)[number], args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  command === 'openapi' ? run([command, ...args], env) : runSheafHere([command, ...args], { PATH: '/usr/bin:/bin', ...env });

test('sheaf --help lists the commands, and each of them has a usage of its own', (t) => {
  const { stdout } = run(['--help']);
  for (const command of ['start', ...COMMANDS]) t.regex(stdout, new RegExp(`^ {2}${command} `, 'm'));
  for (const command of COMMANDS) {
    const answer = run([command, '--help']);
    t.is(answer.status, 0);
    t.regex(answer.stdout, new RegExp(`^usage: sheaf ${command}`));
  }
});

test('a flag or an argument that a command does not know is wrong usage: exit 2 and nothing done', async (t) => {
  for (const command of COMMANDS) {
    for (const argument of ['--dance', 'dance']) {
      const answer = await call(command, [argument]);
      t.is(answer.status, 2, `${command} ${argument}`);
      t.is(answer.stdout, '');
      t.regex(answer.stderr, new RegExp(`^usage: sheaf ${command}`, 'm'));
    }
  }
});

test('a wrong configuration ends each command with 78 and names the mistake', async (t) => {
  await using folder = await makeServiceFolder();
  for (const command of COMMANDS) {
    const answer = await call(command, [], { DATA_PATH: folder.path, SERVER_PORT: 'many' });
    t.is(answer.status, 78, command);
    t.regex(answer.stderr, /SERVER_PORT must be/);
  }
});

test('sheaf openapi prints the text of this configuration, whole also into a pipe', async (t) => {
  await using folder = await makeServiceFolder();
  const { status, stdout } = run(['openapi'], { DATA_PATH: folder.path, HEALTH_CHECK_PATH: '/alive' });
  t.is(status, 0);
  const { openapi, paths } = z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }).parse(JSON.parse(stdout));
  t.regex(openapi, /^3\.1\./);
  t.true(Object.hasOwn(paths, '/alive'));
  t.true(Object.hasOwn(paths, '/api/documents/{id}'));
});

test('verify refuses a database with another schema and says what to do', async (t) => {
  await using database = await openTestDatabase({ empty: true });
  await using folder = await makeServiceFolder();
  const { status, stderr } = await call('verify', [], { DATA_PATH: folder.path, DATABASE_URL: database.url.reveal() });
  t.is(status, 1);
  t.regex(stderr, /bin\/migrate up/);
});

test('verify says when the database cannot be reached', async (t) => {
  await using folder = await makeServiceFolder();
  const { status, stderr } = await call('verify', [], { DATA_PATH: folder.path, DATABASE_URL: 'postgresql://127.0.0.1:1/nowhere' });
  t.is(status, 1);
  t.regex(stderr, /^sheaf verify: .*ECONNREFUSED/);
});
