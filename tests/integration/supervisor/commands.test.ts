import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CODE_CACHE_ENVIRONMENT } from '@sheaf/testkit';
import test from 'ava';

const SHEAF = join(import.meta.dirname, '../../../bin/sheaf');

const givenFolder = async (t: { teardown(fn: () => Promise<void>): void }): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-commands-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const run = (command: string, args: readonly string[], env: Record<string, string> = {}) => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: 120_000,
    env: { PATH: '/usr/bin:/bin', ...CODE_CACHE_ENVIRONMENT, ...env },
  });
  return { status, stdout, stderr };
};

test('sheaf without a command, or with an unknown one, prints its usage and exits 2', (t) => {
  for (const args of [[], ['dance'], ['--dance']]) {
    const { status, stderr } = run(SHEAF, args);
    t.is(status, 2);
    t.regex(stderr, /usage: sheaf start/);
  }
});

test('sheaf --help prints its usage and exits 0, also through links', async (t) => {
  const folder = await givenFolder(t);
  await symlink(SHEAF, join(folder, 'one'));
  await symlink('one', join(folder, 'two'));
  for (const command of [SHEAF, join(folder, 'two')]) {
    const { status, stdout } = run(command, ['--help']);
    t.is(status, 0);
    t.regex(stdout, /start .*start the service/);
  }
  t.regex(run(join(folder, 'two'), ['start', '--help']).stdout, /usage: sheaf start/);
});

test('before the set-up sheaf says which command does it', async (t) => {
  const folder = await givenFolder(t);
  await cp(join(SHEAF, '..'), join(folder, 'bin'), { recursive: true });
  for (const command of ['sheaf', 'migrate', 'migrate_to_s3']) {
    const { status, stderr } = run(join(folder, 'bin', command), ['start']);
    t.is(status, 1);
    t.regex(stderr, /\.\/setup/);
  }
});

test('where packages are installed without Node, that of PATH is taken, if it is of the same major version', async (t) => {
  const folder = await givenFolder(t);
  await cp(join(SHEAF, '..'), join(folder, 'bin'), { recursive: true });
  await mkdir(join(folder, 'node_modules'));
  const withNode = async (version: string) => {
    await writeFile(join(folder, 'node'), `#!/bin/sh\n[ "$1" = --version ] && echo ${version} || echo runs "$@"\n`, { mode: 0o755 });
    return run(join(folder, 'bin/migrate'), ['status'], { PATH: `${folder}:/usr/bin:/bin` });
  };
  t.is((await withNode('v24.99.0')).stdout, 'runs apps/cli/src/migrate.ts status\n');
  const refused = await withNode('v22.1.0');
  t.is(refused.status, 1);
  t.regex(refused.stderr, /Node 24/);
});

test('a wrong flag or scale of start is wrong usage: exit 2, nothing started', async (t) => {
  const DATA_PATH = await givenFolder(t);
  for (const args of [['--dance'], ['--scale', 'ocr-worker=many'], ['--scale', 'dancer=2']]) {
    const { status, stderr } = run(SHEAF, ['start', ...args], { DATA_PATH });
    t.is(status, 2);
    t.regex(stderr, /usage: sheaf start/);
  }
});

test('a wrong configuration names every mistake and exits 78', async (t) => {
  const DATA_PATH = await givenFolder(t);
  const { status, stderr } = run(SHEAF, ['start'], { DATA_PATH, SERVER_PORT: 'many', DATABASE_URL: 'mysql://x' });
  t.is(status, 78);
  t.regex(stderr, /SERVER_PORT must be/);
  t.regex(stderr, /DATABASE_URL must be a URL/);
});

test('a Procfile that cannot be read exits 78 and names the line', async (t) => {
  const DATA_PATH = await givenFolder(t);
  const procfile = join(DATA_PATH, 'Procfile');
  await writeFile(procfile, 'api: node x\nnonsense\n');
  const { status, stderr } = run(SHEAF, ['start', '--procfile', procfile], { DATA_PATH });
  t.is(status, 78);
  t.regex(stderr, /Procfile: line 2/);
});
