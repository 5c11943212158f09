import { silentLogger, waitFor } from '@sheaf/process';
import { makeIdleMemory } from '@sheaf/process/internals';
import test from 'ava';

test.serial('a process that has nothing to do gives back what its work left behind', async (t) => {
  const left = new WeakRef({ pages: Array.from({ length: 2_000_000 }, (_, page) => `page ${page}`) });
  await new Promise(setImmediate); // until then the reference counts as used
  const idleMemory = makeIdleMemory({ log: silentLogger(), lookEveryMs: 200 });
  await idleMemory.start();
  await waitFor(() => left.deref() === undefined, { description: 'the collection', limitMs: 60_000 });
  await idleMemory.stop();
  t.pass();
});
