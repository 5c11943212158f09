import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ComponentHealth } from '@sheaf/contract/operations';
import test from 'ava';
import { fullOnly, oneIn } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';
import { child, givenSupervisor } from './given-supervisor.ts';

/** What the supervisor reports of one part on its own probe port. */
const healthOf = async (port: number, part: string): Promise<ComponentHealth | undefined> => {
  const response = await fetch(`http://127.0.0.1:${port}/health`);
  const { components } = (await response.json()) as { components: Record<string, ComponentHealth> };
  return components[part];
};

const crashesOf = (supervisor: { journal(): { name: string; event: string }[] }, name: string): number =>
  supervisor.journal().filter((entry) => entry.name === name && entry.event.startsWith('start')).length;

for (const broken of oneIn(3, ['api', 'ocr-worker', 'watcher'])) {
  test.serial(`${broken} crashing at each start is restarted for ever and reported, the others are started and go on`, async (t) => {
    const names = ['api', 'ocr-worker', 'watcher'];
    const procfile = names.map((name) => (name === broken ? child(name, 'exit-1') : child(name, 'listen')));
    const supervisor = await givenSupervisor(t, procfile, { livenessMisses: 100 });
    const lines = await supervisor.untilAnnounced();
    t.true(
      lines.some((line) => line.startsWith(`${broken} crashed `)),
      lines.join('\n'),
    );
    await waitFor(() => crashesOf(supervisor, broken) > 8, { description: 'many crashes', limitMs: 60_000 });
    const others = names.filter((name) => name !== broken);
    t.deepEqual(
      others.map((name) => crashesOf(supervisor, name)),
      [1, 1],
    );
    t.false(supervisor.journal().some(({ event }) => event === 'stop'));

    const health = await healthOf(await supervisor.probePort(), broken);
    t.is(health?.status, 'unhealthy');
    const [problem] = health?.problems ?? [];
    t.like(problem, { code: 'process_crashing', details: { process: broken, exit_code: 1 } });
    t.true(['waiting', 'starting'].includes(String(problem?.details['state'])), JSON.stringify(problem));
    t.regex(supervisor.output(), /"process crashed repeatedly, restart delayed"/);
    const told = await waitFor(
      () => supervisor.journal().find(({ event }) => event.startsWith('told {"type":"crashes"') && event.includes('unhealthy')),
      {
        description: 'the report to the other processes',
        limitMs: 20_000,
      },
    );
    t.true(told.event.includes(`${broken} crashed `), told.event);
    supervisor.kill('SIGTERM');
    t.is(await supervisor.untilEnded(), 0);
  });
}

fullOnly(test.serial)(
  'a process that crashed again and again and then runs well is healthy again, and the others hear of it',
  async (t) => {
    const supervisor = await givenSupervisor(t, [child('api', 'listen'), child('worker', 'crash-6')], { steadyMs: 500 });
    await supervisor.untilEntry('worker', 'ready');
    const hears = (status: string): Promise<unknown> =>
      waitFor(
        () =>
          supervisor
            .journal()
            .findLast(({ event }) => event.startsWith('told {"type":"crashes"'))
            ?.event.includes(`"${status}"`),
        {
          description: `the report that it is ${status}`,
          limitMs: 20_000,
        },
      );
    await hears('healthy');
    t.true(supervisor.journal().some(({ event }) => event.startsWith('told {"type":"crashes"') && event.includes('"unhealthy"')));
    t.deepEqual(await healthOf(await supervisor.probePort(), 'worker'), { status: 'healthy' });
  },
);

fullOnly(test.serial)('a program that does not exist is reported by its name, and the others go on', async (t) => {
  const supervisor = await givenSupervisor(t, ['absent: no-such-program --flag', child('api')], { livenessMisses: 100 });
  await supervisor.untilAnnounced();
  const port = await supervisor.probePort();
  await waitFor(async () => (await healthOf(port, 'absent'))?.problems?.[0]?.code === 'process_crashing', {
    description: 'the report',
    limitMs: 20_000,
  });
  t.regex(supervisor.output(), /no-such-program/);
  t.is(crashesOf(supervisor, 'api'), 1);
});

fullOnly(test.serial)('a process that stops answering again and again is reported with that reason', async (t) => {
  const supervisor = await givenSupervisor(t, [child('api', 'listen'), child('worker', 'hang-when-ready')]);
  await supervisor.untilAnnounced();
  const port = await supervisor.probePort();
  const problem = await waitFor(async () => (await healthOf(port, 'worker'))?.problems?.find(({ code }) => code === 'process_crashing'), {
    description: 'the report',
    limitMs: 60_000,
  });
  t.like(problem.details, { signal: 'SIGKILL', unresponsive: true });
  t.false(supervisor.journal().some(({ event }) => event === 'stop'));
});

fullOnly(test.serial)('a database that is killed again and again comes back each time, is reported, and stops nobody', async (t) => {
  const supervisor = await givenSupervisor(t, [child('api')], { database: true, livenessMisses: 100 });
  await supervisor.untilAnnounced();
  const lock = join(supervisor.folder, 'postgres/postmaster.pid');
  const killed = new Set<string>();
  for (let times = 0; times < 7; times += 1) {
    const pid = await waitFor(
      () => {
        const [current = '', , , , , , , status] = existsSync(lock) ? readFileSync(lock, 'utf8').split('\n') : [];
        return status?.trim() === 'ready' && !killed.has(current) && current;
      },
      { description: () => `start ${times + 1} of the database; so far ${supervisor.output()}`, limitMs: 60_000 },
    );
    killed.add(pid);
    process.kill(Number(pid), 'SIGKILL');
  }
  const health = await healthOf(await supervisor.probePort(), 'embedded-database');
  t.is(health?.status, 'unhealthy');
  t.like(health?.problems, [{ code: 'process_crashing', details: { process: 'embedded-database' } }]);
  t.is(supervisor.journal().filter(({ event }) => event === 'ready').length, 1);
  t.false(supervisor.journal().some(({ event }) => event === 'stop'));
});
