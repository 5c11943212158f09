import { type ComponentHealth, warning } from '@sheaf/contract/operations';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';
import { child, givenSupervisor } from './given-supervisor.ts';

const MEGABYTE = 1024 * 1024;

test('beyond MEMORY_LIMIT_MB it tells what takes how much and starts the largest ocr-worker anew, once in a while and nobody else', async (t) => {
  const procfile = [child('api', 'grow-400'), child('ocr-worker', 'grow-30'), child('watcher', 'listen')];
  const supervisor = await givenSupervisor(t, procfile, { scale: { 'ocr-worker': 2 }, memoryLimitBytes: 300 * MEGABYTE });
  await supervisor.untilEntry('ocr-worker', 'stop');
  await supervisor.untilEntry('ocr-worker', 'ready', 3);
  const line = await waitFor(() => /^.*memory usage exceeds MEMORY_LIMIT_MB.*$/m.exec(supervisor.output())?.[0], {
    description: 'the line about it',
    limitMs: 20_000,
  });
  const told = JSON.parse(line) as { limit_mb: number; used_mb: number; megabytes: Record<string, number>; restarted: string };
  t.is(told.limit_mb, 300);
  t.true(told.used_mb > 300);
  t.regex(told.restarted, /^ocr-worker/);
  t.true((told.megabytes['api'] ?? 0) > 400, JSON.stringify(told.megabytes));
  t.deepEqual(Object.keys(told.megabytes), ['supervisor', 'api', 'ocr-worker', 'ocr-worker.1', 'watcher']);
  const word = await waitFor(() => supervisor.journal().find(({ event }) => event.includes('"code":"memory_limit_exceeded"')), {
    description: 'the word to the children',
    limitMs: 5_000,
  });
  const { type, health } = JSON.parse(word.event.replace(/^told /, '')) as { type: string; health: ComponentHealth };
  t.is(type, 'memory');
  const { used_bytes: usedBytes, limit_bytes: limitBytes } = health.problems?.[0]?.details ?? {};
  t.is(limitBytes, 300 * MEGABYTE);
  t.deepEqual(health, warning('memory_limit_exceeded', { used_bytes: usedBytes, limit_bytes: limitBytes }));
  t.true(Number(usedBytes) > 300 * MEGABYTE);
  const stopped = supervisor.journal().filter(({ event }) => event === 'stop');
  t.deepEqual(
    stopped.map(({ name }) => name),
    ['ocr-worker'],
  );
  t.regex(await (await fetch(`http://127.0.0.1:${await supervisor.probePort()}/health`)).text(), /"ocr-worker":\{"status":"healthy"\}/);
});

test('below MEMORY_LIMIT_MB all is well', async (t) => {
  const supervisor = await givenSupervisor(t, [child('ocr-worker', 'grow-30'), child('watcher')], { memoryLimitBytes: 2_000 * MEGABYTE });
  await supervisor.untilAnnounced();
  const looks = async (): Promise<boolean> =>
    /"memory":\{"status":"healthy"\}/.test(await (await fetch(`http://127.0.0.1:${await supervisor.probePort()}/health`)).text());
  t.true(await looks());
  t.false(supervisor.output().includes('MEMORY_LIMIT_MB'));
});

test('children get the limits of heap and threads, and what the Procfile says goes before them', async (t) => {
  const own = child('own', 'limits').replace('node ', 'node --max-old-space-size=100 ');
  const supervisor = await givenSupervisor(t, [child('usual', 'limits'), own]);
  await supervisor.untilAnnounced();
  const limits = new Map(
    supervisor.journal().flatMap(({ name, event }) => {
      const [, heap = '', threads] = /^limits (\d+) (\S+)$/.exec(event) ?? [];
      return threads === undefined ? [] : [[name, { heap: Number(heap) / MEGABYTE, threads }] as const];
    }),
  );
  const [usual, ofProcfile] = [limits.get('usual'), limits.get('own')];
  t.is(usual?.threads, '5');
  // V8 adds the young generation to both
  t.is(Math.round((usual?.heap ?? 0) - (ofProcfile?.heap ?? 0)), 256 - 100);
});
