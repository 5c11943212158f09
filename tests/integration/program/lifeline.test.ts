import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { freePort } from '../../support/free-port.ts';
import { fullOnly } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ask, connect, givenData, givenStarter, isAlive, open, serverPid } from './given-server.ts';

const gone = (pid: number): Promise<boolean> => waitFor(() => !isAlive(pid), { description: `process ${pid} to end`, limitMs: 20_000 });
const parentOf = (pid: number): number => Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);

fullOnly(test)('a server ends when its starter is killed', async (t) => {
  const dataPath = await givenData(t);
  const starter = await givenStarter(dataPath);
  const pid = serverPid(dataPath);
  const guard = parentOf(pid);
  await starter.kill();
  await gone(pid);
  await gone(guard);
  t.pass();
});

fullOnly(test)('after the starter was killed, a client may finish its work and open a further connection', async (t) => {
  const dataPath = await givenData(t);
  const starter = await givenStarter(dataPath, { graceSeconds: 30 });
  const client = await connect(starter.url);
  await starter.kill();
  await client.query('create table last_words as select 1 as n');
  t.is(await ask(starter.url, 'select n from last_words'), 1);
  const pid = serverPid(dataPath);
  t.true(isAlive(pid));
  await client.end();
  await gone(pid);
});

fullOnly(test)('a client that stays does not hold the server longer than the grace', async (t) => {
  const dataPath = await givenData(t);
  const starter = await givenStarter(dataPath, { graceSeconds: 1 });
  await connect(starter.url);
  const pid = serverPid(dataPath);
  await starter.kill();
  await gone(pid);
  t.pass();
});

test('a server whose starter was killed gives way to a new one on the same data', async (t) => {
  const dataPath = await givenData(t);
  const starter = await givenStarter(dataPath, { graceSeconds: 60 });
  await ask(starter.url, 'create table kept as select 1 as n');
  await connect(starter.url); // holds the old server alive
  const pid = serverPid(dataPath);
  await starter.kill();
  await using server = await open(dataPath);
  t.false(isAlive(pid));
  t.is(await ask(server.url, 'select n from kept'), 1);
});

fullOnly(test)('a server ends at once when its guard is killed, and its starter hears of it', async (t) => {
  const dataPath = await givenData(t);
  const server = await open(dataPath, { orphanGraceSeconds: 60 });
  const pid = serverPid(dataPath);
  await connect(server.url);
  process.kill(parentOf(pid), 'SIGKILL');
  await waitFor(() => !isAlive(pid), { description: 'the server to end', limitMs: 20_000 });
  await server.exited;
  t.pass();
});

test('a killed server is reported and starts again on the same port at once', async (t) => {
  const dataPath = await givenData(t);
  const first = await open(dataPath, { port: await freePort() }); // which no connection of another test gets in between
  await ask(first.url, 'create table kept as select 1 as n');
  process.kill(serverPid(dataPath), 'SIGKILL');
  t.deepEqual(await first.exited, { code: undefined, signal: 'SIGKILL' });
  await using second = await open(dataPath, { port: first.port, exactPort: true });
  t.is(second.port, first.port);
  t.is(await ask(second.url, 'select n from kept'), 1);
});

fullOnly(test)('a lock whose number belongs to another process by now is not obeyed', async (t) => {
  const dataPath = await givenData(t);
  const first = await open(dataPath);
  const lock = readFileSync(join(dataPath, 'postmaster.pid'), 'utf8');
  await first.stop('immediate');
  const { uid, gid } = statSync(dataPath);
  const stranger = spawn('sleep', ['1000'], { uid, gid, cwd: '/', stdio: 'ignore' });
  t.teardown(() => stranger.kill());
  await writeFile(join(dataPath, 'postmaster.pid'), lock.replace(/^\d+/, String(stranger.pid)));
  await using second = await open(dataPath);
  t.is(await ask(second.url, 'select 1'), 1);
});

fullOnly(test)('a lock whose server was killed and not yet collected by its parent is not obeyed', async (t) => {
  const dataPath = await givenData(t);
  const first = await open(dataPath);
  const lock = readFileSync(join(dataPath, 'postmaster.pid'), 'utf8');
  await first.stop('immediate');
  // the shell becomes a sleep that never asks what became of its child: a zombie, as under an init that is slow to collect
  const { uid, gid } = statSync(dataPath);
  const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 1000'], { uid, gid, cwd: '/', stdio: ['ignore', 'pipe', 'ignore'] });
  t.teardown(() => parent.kill());
  const [output] = (await once(parent.stdout, 'data')) as [Buffer];
  const zombie = Number(output.toString());
  await waitFor(() => readFileSync(`/proc/${zombie}/stat`, 'utf8').includes(') Z '), { description: 'the zombie', limitMs: 20_000 });
  await writeFile(join(dataPath, 'postmaster.pid'), lock.replace(/^\d+/, String(zombie)));
  await using second = await open(dataPath);
  t.is(await ask(second.url, 'select 1'), 1);
});

fullOnly(test)('a signal to the process group of the starter does not reach the server', async (t) => {
  const dataPath = await givenData(t);
  await using server = await open(dataPath);
  const groupOf = (pid: number): string | undefined => /\) \S \d+ (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
  t.not(groupOf(serverPid(dataPath)), groupOf(process.pid));
  process.kill(parentOf(serverPid(dataPath)), 'SIGINT');
  process.kill(parentOf(serverPid(dataPath)), 'SIGTERM');
  t.is(await ask(server.url, 'select 1'), 1);
});
