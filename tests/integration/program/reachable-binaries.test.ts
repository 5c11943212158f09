import { existsSync, lstatSync, statSync } from 'node:fs';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLogger } from '@sheaf/process';
import { type Binaries, reachableBinaries } from '@sheaf/program/testing/embedded-postgres';
import test from 'ava';
import { givenFolder } from './given-server.ts';

const rootTest = process.getuid?.() === 0 ? test : test.skip;
const USER = { uid: 65_534, ids: { uid: 65_534, gid: 65_534 } };

const givenBinaries = async (folder: string): Promise<Binaries> => {
  const root = join(folder, 'native');
  for (const name of ['bin', 'lib', 'share']) await mkdir(join(root, name), { recursive: true, mode: 0o700 });
  await writeFile(join(root, 'bin', 'postgres'), 'a program', { mode: 0o700 });
  await writeFile(join(root, 'lib', 'libpq.so.5.18'), 'a library', { mode: 0o600 });
  await symlink('libpq.so.5.18', join(root, 'lib', 'libpq.so'));
  return { root, version: `test-${process.pid}`, majorVersion: '18' };
};

rootTest('programs that their user can reach stay where they are', async (t) => {
  const installed = await givenBinaries(await givenFolder(t));
  for (const path of ['', 'bin', 'bin/postgres']) await chmod(join(installed.root, path), 0o755);
  t.is(await reachableBinaries(USER, installed, silentLogger()), installed);
});

rootTest('programs in a closed folder are copied once, whole, with their links, and open to their user', async (t) => {
  const folder = await givenFolder(t);
  const installed = await givenBinaries(folder);
  await chmod(folder, 0o700);
  const [copy, same] = await Promise.all([
    reachableBinaries(USER, installed, silentLogger()),
    reachableBinaries(USER, installed, silentLogger()),
  ]);
  t.teardown(() => rm(copy.root, { recursive: true, force: true }));
  t.is(copy.root, `/var/lib/sheaf/postgres-${installed.version}`);
  t.deepEqual(same, copy);
  t.true(lstatSync(join(copy.root, 'lib', 'libpq.so')).isSymbolicLink());
  t.is(statSync(join(copy.root, 'lib', 'libpq.so')).mode & 0o777, 0o644);
  t.is(statSync(join(copy.root, 'bin', 'postgres')).mode & 0o777, 0o755);
  await rm(installed.root, { recursive: true });
  t.deepEqual(await reachableBinaries(USER, installed, silentLogger()), copy);
  t.true(existsSync(join(copy.root, 'bin', 'postgres')));
});
