import { join } from 'node:path';
import test from 'ava';
import { fullOnly, oneIn } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';
import { child, givenSupervisor, isAlive } from './given-supervisor.ts';

test('children start in the order of the Procfile, each after the one before is ready', async (t) => {
  const supervisor = await givenSupervisor(t, [child('first'), child('second'), child('third')]);
  await supervisor.untilAnnounced();
  t.deepEqual(
    supervisor.journal().map(({ name, event }) => `${name} ${event}`),
    ['first start 0', 'first ready', 'second start 0', 'second ready', 'third start 0', 'third ready'],
  );
});

fullOnly(test)('the last lines say where the api listens, then what the children have to say', async (t) => {
  const supervisor = await givenSupervisor(t, [child('api'), child('worker')]);
  const [where, ...notices] = await supervisor.untilAnnounced();
  t.regex(where ?? '', /^Sheaf listens on http:\/\/127\.0\.0\.1:\d+$/);
  t.deepEqual(notices, ['notice of api', 'notice of worker']);
});

fullOnly(test)('a scaled child runs that often, and each one knows its number', async (t) => {
  const supervisor = await givenSupervisor(t, [child('api'), child('ocr-worker')], { scale: { 'ocr-worker': 3 } });
  await supervisor.untilAnnounced();
  const starts = supervisor.journal().filter(({ name, event }) => name === 'ocr-worker' && event.startsWith('start'));
  t.deepEqual(
    starts.map(({ event }) => event),
    ['start 0', 'start 1', 'start 2'],
  );
});

test('the migration ends before the first child starts', async (t) => {
  const journal = join(import.meta.dirname, '../../fixtures/supervisor/child.ts');
  const supervisor = await givenSupervisor(t, [child('api')], { migration: ['node', journal, '/dev/null', 'migration', 'exit-0'] });
  await supervisor.untilAnnounced();
  t.regex(supervisor.output(), /migration has this to say/);
});

test('a migration that fails stops everything before the first child', async (t) => {
  const supervisor = await givenSupervisor(t, [child('api')], { migration: ['false'] });
  t.is(await supervisor.untilEnded(), 1);
  t.deepEqual(supervisor.journal(), []);
  t.regex(supervisor.output(), /database migration failed/);
  t.false(supervisor.output().includes('    at '), 'what the person has to do needs no trace');
});

for (const signal of oneIn(2, ['SIGTERM', 'SIGINT'] as const)) {
  test(`on ${signal} all children are asked to stop at once and the supervisor ends with 0`, async (t) => {
    // the last of the Procfile does not stop by itself: the others do not wait for it
    const supervisor = await givenSupervisor(t, [child('first'), child('second'), child('third', 'ignore-term')], { graceMs: 3_000 });
    await supervisor.untilAnnounced();
    supervisor.kill(signal);
    for (const name of ['first', 'second']) await supervisor.untilEntry(name, 'stop');
    t.true(isAlive(supervisor.everybody()[2] ?? 0), 'the last one is still there');
    t.is(await supervisor.untilEnded(), 0);
  });
}

test('a child that does not stop is killed with its programs when the grace is over', async (t) => {
  const supervisor = await givenSupervisor(t, [child('stubborn', 'ignore-term', 'grandchild')], { graceMs: 300 });
  await supervisor.untilAnnounced();
  supervisor.kill('SIGTERM');
  t.is(await supervisor.untilEnded(), 0);
  t.true(supervisor.journal().some(({ event }) => event === 'term ignored'));
  t.deepEqual(supervisor.everybody().filter(isAlive), []);
});

fullOnly(test)('programs that a child leaves behind end with it', async (t) => {
  const supervisor = await givenSupervisor(t, [child('api', 'grandchild')]);
  await supervisor.untilAnnounced();
  supervisor.kill('SIGTERM');
  await supervisor.untilEnded();
  await waitFor(() => !supervisor.everybody().some(isAlive), { description: 'nobody to be left', limitMs: 20_000 });
  t.is(supervisor.everybody().length, 2);
});

fullOnly(test)('a request to stop during the start is obeyed', async (t) => {
  const supervisor = await givenSupervisor(t, [child('first'), 'never-ready: sleep 1000', child('third')]);
  await supervisor.untilEntry('first', 'ready');
  supervisor.kill('SIGTERM');
  t.is(await supervisor.untilEnded(), 0);
  t.false(supervisor.journal().some(({ name }) => name === 'third'));
});
