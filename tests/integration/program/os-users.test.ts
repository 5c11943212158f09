import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, readlink, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import test from 'ava';
import { fullOnly } from '../../support/full-run.ts';
import { throwsProblem } from '../../support/throws-problem.ts';
import { ask, givenData, givenFolder, givenStarter, open } from './given-server.ts';
import { openAs } from './open-as.ts';

// What root does can be tried by root alone; an ordinary user is tried by root as well, in a process of that user.
const isRoot = process.getuid?.() === 0;
const rootTest = isRoot ? test : test.skip;
if (!isRoot) process.stdout.write('skipped: tests of how root runs the embedded database need root\n');

const NOBODY = { uid: 65_534, gid: 65_534 };
const canNobodyRead = isRoot && spawnSync('/bin/sh', ['-c', `test -r ${import.meta.filename}`], { ...NOBODY, cwd: '/' }).status === 0;

rootTest('as root the server runs as a user of its own, who owns the data', async (t) => {
  const dataPath = join(await givenFolder(t), 'postgres');
  await using server = await open(dataPath);
  t.not(statSync(dataPath).uid, 0);
  t.is(statSync(dataPath).mode & 0o777, 0o700);
  t.is(server.dataPath, dataPath);
});

fullOnly(rootTest)('in a closed folder the data goes where the server can go, and is found again after the folder has moved', async (t) => {
  const folder = await givenFolder(t);
  const closed = join(folder, 'closed');
  await mkdir(closed, { mode: 0o700 });
  const server = await open(join(closed, 'postgres'));
  const place = server.dataPath;
  t.teardown(() => rm(place, { recursive: true, force: true }));
  await ask(server.url, 'create table kept as select 42 as answer');
  await server.stop();
  t.is(dirname(place), '/var/lib/sheaf');
  t.is(await readlink(join(closed, 'postgres')), place);

  await rename(closed, join(folder, 'moved'));
  await using again = await open(join(folder, 'moved', 'postgres'));
  t.is(again.dataPath, place);
  t.is(await ask(again.url, 'select answer from kept'), 42);
});

fullOnly(rootTest)('data that went elsewhere is found again when the link to it is lost', async (t) => {
  const closed = join(await givenFolder(t), 'closed');
  await mkdir(closed, { mode: 0o700 });
  const first = await open(join(closed, 'postgres'));
  t.teardown(() => rm(first.dataPath, { recursive: true, force: true }));
  await ask(first.url, 'create table kept as select 42 as answer');
  await first.stop();
  await rm(join(closed, 'postgres'));
  await using second = await open(join(closed, 'postgres'));
  t.is(await ask(second.url, 'select answer from kept'), 42);
  t.true((await lstat(join(closed, 'postgres'))).isSymbolicLink());
});

fullOnly(rootTest)('existing data whose folder was closed since is an error that names the folder and the way out', async (t) => {
  const dataPath = await givenData(t);
  await chmod(dirname(dataPath), 0o700);
  const { details } = await throwsProblem(t, open(dataPath), 'embedded_database_folder_closed', EXIT.configuration);
  t.like(details, { path: dataPath, folder: dirname(dataPath) });
  await chmod(dirname(dataPath), 0o755);
  await using server = await open(dataPath);
  t.is(await ask(server.url, 'select 1'), 1);
});

fullOnly(rootTest)('root runs the data of an ordinary user as that user', async (t) => {
  const dataPath = await givenData(t);
  spawnSync('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, dataPath]);
  await using server = await open(dataPath);
  t.is(await ask(server.url, 'select 1'), 1);
  t.is(statSync(join(dataPath, 'postmaster.pid')).uid, NOBODY.uid);
});

const nobodyTest = canNobodyRead ? test : test.skip;

fullOnly(nobodyTest)('an ordinary user runs the server himself', async (t) => {
  const folder = await givenFolder(t);
  await chown(folder, NOBODY.uid, NOBODY.gid);
  const dataPath = join(folder, 'postgres');
  const starter = await givenStarter(dataPath, { ids: NOBODY });
  t.is(await ask(starter.url, 'select 1'), 1);
  t.is(statSync(dataPath).uid, NOBODY.uid);
  await starter.kill();
});

nobodyTest('an ordinary user who cannot write the folder hears which one and what to do', async (t) => {
  const folder = await givenFolder(t);
  t.regex(openAs(NOBODY, join(folder, 'data', 'postgres')), /embedded_database_not_writable.*\/data'/);
  const ofAnother = await givenData(t);
  t.regex(openAs(NOBODY, ofAnother), /embedded_database_owned_by_other.*user: '65534'/);
  t.false(existsSync(join(folder, 'data')));
  await rmdir(folder);
});
