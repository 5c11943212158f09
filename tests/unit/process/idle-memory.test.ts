import { silentLogger, waitFor } from '@sheaf/process';
import { makeIdleMemory } from '@sheaf/process/testing';
import test from 'ava';
import { testWhere } from '../../support/conditional-test.ts';

test.serial('a process that has nothing to do gives back what its work left behind', async (t) => {
  const left = new WeakRef({ pages: Array.from({ length: 2_000_000 }, (_, page) => `page ${page}`) });
  await new Promise(setImmediate); // until then the reference counts as used
  const idleMemory = makeIdleMemory({ log: silentLogger(), lookEveryMs: 200 });
  await idleMemory.start();
  await waitFor(() => left.deref() === undefined, { description: 'the collection', limitMs: 60_000 });
  await idleMemory.stop();
  t.pass();
});

const whereGlibc = testWhere(
  'glibcVersionRuntime' in (process.report.getReport() as { header: object }).header,
  'this is not the C library of GNU',
  test.serial,
);

whereGlibc('what was freed between things that stay is given back', async (t) => {
  const BYTES = 30_000;
  const pieces = Array.from({ length: 4_000 }, () => Buffer.allocUnsafeSlow(BYTES).fill(1));
  const kept = pieces.filter((_, at) => at % 20 === 0);
  const fullBytes = process.memoryUsage.rss();
  pieces.length = 0;
  const idleMemory = makeIdleMemory({ log: silentLogger(), lookEveryMs: 200 });
  await idleMemory.start();
  const isGivenBack = (): boolean => fullBytes - process.memoryUsage.rss() > (4_000 * BYTES) / 2;
  await waitFor(isGivenBack, { description: 'the memory to be given back', limitMs: 60_000 });
  await idleMemory.stop();
  t.is(kept.length, 200);
});
