import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Secret } from '@sheaf/contract';
import { FatalError, silentLogger } from '@sheaf/process';
import { joinPostgresServer } from '@sheaf/program/embedded-postgres';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import test from 'ava';
import { fullOnly } from '../../support/full-run.ts';
import { throwsProblem } from '../../support/throws-problem.ts';
import { ask, connect, givenData, givenFolder, open } from './given-server.ts';

fullOnly(test)('a new server knows letters beyond ASCII, whatever the environment says', async (t) => {
  await using server = await open(join(await givenFolder(t), 'postgres'));
  t.is(await ask(server.url, "select lower('Ä')"), 'ä');
  t.is(await ask(server.url, 'show server_encoding'), 'UTF8');
  t.is(await ask(server.url, 'select current_database()'), 'sheaf');
  await ask(server.url, 'create extension pg_trgm');
  t.true(Number(await ask(server.url, "select cardinality(show_trgm('größe'))")) > 3);
});

fullOnly(test)('it listens on 127.0.0.1 alone and asks for the password', async (t) => {
  await using server = await open(await givenData(t));
  t.is(await ask(server.url, 'show listen_addresses'), '127.0.0.1');
  t.is(await ask(server.url, 'show unix_socket_directories'), '');
  t.is(await ask(server.url, "select rolpassword like 'SCRAM-SHA-256$%' from pg_authid where rolname = 'sheaf'"), true);
  const wrong = new URL(server.url);
  wrong.password = 'wrong';
  await t.throwsAsync(connect(wrong.href), { code: '28P01' });
});

test('data survives a stop and a start', async (t) => {
  const dataPath = await givenData(t);
  const first = await open(dataPath);
  await ask(first.url, 'create table kept as select 42 as answer');
  await first.stop();
  t.deepEqual(await first.exited, { code: 0, signal: undefined });
  await using second = await open(dataPath);
  t.is(await ask(second.url, 'select answer from kept'), 42);
});

fullOnly(test)('stopping twice is fine, and a server is not stopped by an open connection', async (t) => {
  const server = await open(await givenData(t));
  await connect(server.url);
  await Promise.all([server.stop(), server.stop()]);
  await server.stop();
  t.pass();
});

test('a second server on the same data is refused while the first one lives', async (t) => {
  const dataPath = await givenData(t);
  await using server = await open(dataPath);
  await throwsProblem(t, open(dataPath), 'embedded_database_in_use', EXIT.replicaRuns);
  t.is(await ask(server.url, 'select 1'), 1);
});

fullOnly(test)('of several starters at the same moment exactly one gets the data', async (t) => {
  const dataPath = join(await givenFolder(t), 'postgres');
  const outcomes = await Promise.allSettled([open(dataPath), open(dataPath), open(dataPath)]);
  const servers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  await Promise.all(servers.map((server) => server.stop()));
  t.is(servers.length, 1);
  t.deepEqual(
    errors.map((error) => (error instanceof FatalError ? error.problem.code : error)),
    ['embedded_database_in_use', 'embedded_database_in_use'],
  );
});

fullOnly(test)('a taken port is left to its owner and the next one is used, unless exactly this one is needed', async (t) => {
  const owner = createServer();
  const port = await new Promise<number>((resolve) => {
    owner.listen(0, '127.0.0.1', () => resolve((owner.address() as { port: number }).port));
  });
  t.teardown(() => owner.close());
  const dataPath = await givenData(t);
  const server = await open(dataPath, { port });
  t.true(server.port > port);
  t.is(await ask(server.url, 'select 1'), 1);
  await server.stop();
  await throwsProblem(t, open(dataPath, { port, exactPort: true }), 'embedded_database_no_free_port', EXIT.failed);
});

fullOnly(test)('the URL lies in a file for the owner alone while the server runs', async (t) => {
  const dataPath = await givenData(t);
  const urlFile = `${dataPath}-url`;
  const server = await open(dataPath, { urlFile });
  t.is((await readFile(urlFile, 'utf8')).trim(), server.url);
  t.is(statSync(urlFile).mode & 0o777, 0o600);
  await server.stop();
  t.false(existsSync(urlFile));
});

fullOnly(test)('a tool joins the running server and leaves it running, and starts one when there is none', async (t) => {
  const dataPath = await givenData(t);
  const urlFile = `${dataPath}-url`;
  const settings = {
    dataPath,
    urlFile,
    port: 0,
    password: new Secret('test-password'),
    log: silentLogger(),
    extraParameters: { fsync: 'off' },
  };
  const own = await joinPostgresServer(settings);
  t.is(await ask(own.url, 'select 1'), 1);
  await own.stop();
  t.false(existsSync(join(dataPath, 'postmaster.pid')));

  await using server = await open(dataPath, { urlFile });
  const joined = await joinPostgresServer(settings);
  t.is(joined.url, server.url);
  await joined.stop();
  t.is(await ask(server.url, 'select 1'), 1);
});

fullOnly(test)('a changed password is set anew', async (t) => {
  const dataPath = await givenData(t);
  await (await open(dataPath)).stop();
  await using server = await open(dataPath, { password: new Secret("it's / another") });
  t.is(await ask(server.url, 'select 1'), 1);
});

fullOnly(test)('printing a server does not print its password', async (t) => {
  await using server = await open(await givenData(t));
  const { inspect } = await import('node:util');
  t.notRegex(`${inspect(server, { depth: 9 })}${JSON.stringify(server)}`, /test-password/);
});

fullOnly(test)('what a crashed first start left behind does not stand in the way', async (t) => {
  const folder = await givenFolder(t);
  const dataPath = join(folder, 'postgres');
  const halfMade = `${dataPath}.draft-999999999-1-abcdef`;
  await mkdir(join(halfMade, 'data'), { recursive: true });
  await writeFile(join(halfMade, 'data', 'PG_VERSION'), '18\n');
  await using server = await open(dataPath);
  t.is(await ask(server.url, 'select 1'), 1);
  t.false(existsSync(halfMade));
});

fullOnly(test)('a folder with other things in it is not overwritten', async (t) => {
  const dataPath = join(await givenFolder(t), 'postgres');
  await mkdir(dataPath);
  await writeFile(join(dataPath, 'letter.txt'), 'dear reader');
  await throwsProblem(t, open(dataPath), 'embedded_database_folder_not_empty', EXIT.configuration);
  t.is(await readFile(join(dataPath, 'letter.txt'), 'utf8'), 'dear reader');
});

test('a link to data that is gone is an error, not an empty database', async (t) => {
  const folder = await givenFolder(t);
  await symlink(join(folder, 'gone'), join(folder, 'postgres'));
  await throwsProblem(t, open(join(folder, 'postgres')), 'embedded_database_link_broken', EXIT.configuration);
});

fullOnly(test)('data of another major version is refused by name', async (t) => {
  const dataPath = await givenData(t);
  await (await open(dataPath)).stop();
  await writeFile(join(dataPath, 'PG_VERSION'), '17\n');
  const { details } = await throwsProblem(t, open(dataPath), 'embedded_database_version_differs', EXIT.configuration);
  t.like(details, { path: dataPath, found: '17' });
  await rm(dataPath, { recursive: true });
});
