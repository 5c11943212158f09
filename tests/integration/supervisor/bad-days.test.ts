import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { fullOnly, oneIn } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';
import { child, givenSupervisor, isAlive } from './given-supervisor.ts';

/** All processes that work in that folder or name it on their command line. */
const processesOf = (folder: string): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      if (!Number.isInteger(pid) || pid === process.pid || !isAlive(pid)) return false;
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder) || readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
      } catch {
        return false; // it ended while we looked
      }
    });

test('a child that dies is started again, the others go on', async (t) => {
  const supervisor = await givenSupervisor(t, [child('first'), child('second')]);
  await supervisor.untilAnnounced();
  process.kill((await supervisor.untilEntry('first', 'ready')).pid, 'SIGKILL');
  await supervisor.untilEntry('first', 'ready', 2);
  t.is(supervisor.journal().filter(({ name }) => name === 'second').length, 2);
});

fullOnly(test)('a child that dies before it is ready is started again, and the start goes on', async (t) => {
  const supervisor = await givenSupervisor(t, [child('first', 'crash-once'), child('second')]);
  await supervisor.untilAnnounced();
  t.is(supervisor.journal().filter(({ event }) => event === 'start 0').length, 3);
});

for (const [code, what] of oneIn(2, [
  [78, 'a configuration error'],
  [69, 'a lock held by another replica'],
] as const)) {
  test(`${what} (exit code ${code}) is not tried again: everything stops with that code`, async (t) => {
    const supervisor = await givenSupervisor(t, [child('healthy'), child('refused', `exit-${code}`)]);
    t.is(await supervisor.untilEnded(), code);
    t.regex(supervisor.output(), /refused has this to say/);
    t.is(supervisor.journal().filter(({ name }) => name === 'refused').length, 1);
    t.is(supervisor.journal().at(-1)?.event, 'stop');
  });
}

test('a child that hangs is killed with its programs and started again', async (t) => {
  const supervisor = await givenSupervisor(t, [child('api', 'grandchild')]);
  await supervisor.untilAnnounced();
  const before = supervisor.everybody();
  process.kill((await supervisor.untilEntry('api', 'ready')).pid, 'SIGUSR2');
  await supervisor.untilEntry('api', 'ready', 2);
  t.deepEqual(before.filter(isAlive), []);
});

fullOnly(test)('a child that is ill but answers is left alone', async (t) => {
  const supervisor = await givenSupervisor(t, [child('api')]);
  await supervisor.untilAnnounced();
  const since = Date.now();
  await waitFor(() => Date.now() - since > 1_000, { description: 'ten probes to pass', limitMs: 5_000 });
  t.is(supervisor.journal().filter(({ event }) => event === 'ready').length, 1);
});

fullOnly(test)('the database is there before the children, and it is the last to go', async (t) => {
  const supervisor = await givenSupervisor(t, [child('api')], { database: true });
  await supervisor.untilAnnounced();
  t.regex(readFileSync(join(supervisor.folder, 'database-url'), 'utf8'), /^postgresql:\/\/sheaf:test-password@127\.0\.0\.1:\d+\/sheaf\n$/);
  supervisor.kill('SIGTERM');
  t.is(await supervisor.untilEnded(), 0);
  t.false(existsSync(join(supervisor.folder, 'postgres/postmaster.pid')));
  t.false(existsSync(join(supervisor.folder, 'database-url')));
  t.deepEqual(processesOf(supervisor.folder), []);
});

fullOnly(test)('a database that is killed comes back on the same port, the children go on', async (t) => {
  const supervisor = await givenSupervisor(t, [child('api')], { database: true });
  await supervisor.untilAnnounced();
  const lock = join(supervisor.folder, 'postgres/postmaster.pid');
  const [oldPid, , , oldPort] = readFileSync(lock, 'utf8').split('\n');
  process.kill(Number(oldPid), 'SIGKILL');
  const port = await waitFor(
    () => {
      const [pid, , , newPort, , , , status] = existsSync(lock) ? readFileSync(lock, 'utf8').split('\n') : [];
      return pid !== oldPid && status?.trim() === 'ready' ? newPort : undefined;
    },
    { description: 'the database to come back', limitMs: 20_000 },
  );
  t.is(port, oldPort ?? '');
  t.is(supervisor.journal().filter(({ event }) => event === 'ready').length, 1);
});

test('when the supervisor is killed nothing of it is left: no child, no program of a child, no database', async (t) => {
  const supervisor = await givenSupervisor(t, [child('api', 'grandchild'), child('worker', 'grandchild'), child('hung')], {
    database: true,
    graceMs: 1_000,
  });
  await supervisor.untilAnnounced();
  process.kill((await supervisor.untilEntry('hung', 'ready')).pid, 'SIGUSR2');
  await supervisor.untilEntry('hung', 'hang');
  supervisor.kill('SIGKILL');
  t.is(await supervisor.untilEnded(), 'SIGKILL');
  await waitFor(() => processesOf(supervisor.folder).length === 0 && !supervisor.everybody().some(isAlive), {
    description: () => `all processes to end: ${processesOf(supervisor.folder).join(' ')}`,
    limitMs: 20_000,
  });
  t.deepEqual(
    supervisor
      .journal()
      .filter(({ event }) => event === 'disconnect')
      .map(({ name }) => name)
      .toSorted(),
    ['api', 'worker'],
  );
});
