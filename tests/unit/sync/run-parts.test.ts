import { constant, LiveValue } from '@sheaf/process';
import { fileRetryMs, IdSet, nextAfterFailureMs, nextAfterSuccessMs, PendingFiles, Slots } from '@sheaf/sync/testing';
import test from 'ava';

const MINUTE = 60_000;
const pending = (path: string, isSuspect = false) => ({
  file: { path, sizeBytes: undefined, modifiedAt: undefined, etag: undefined },
  path,
  known: undefined,
  isSuspect,
});

test('a set of ids has what was added and nothing else, also beyond 32 bits', (t) => {
  const ids = new IdSet();
  const some = [0, 1, 7, 8, 65_535, 65_536, 4_294_967_296, 9_007_199_254_740_991];
  for (const id of some) ids.add(id);
  for (const id of some) t.true(ids.has(id), String(id));
  for (const id of [2, 9, 65_537, 131_072, 4_294_967_295, 9_007_199_254_740_990]) t.false(ids.has(id), String(id));
});

test('the next run follows after the interval and up to a tenth of it, and never where only people ask for one', (t) => {
  t.is(
    nextAfterSuccessMs(3_600_000, () => 0),
    3_600_000,
  );
  t.is(
    nextAfterSuccessMs(3_600_000, () => 1),
    3_960_000,
  );
  t.is(nextAfterSuccessMs(0), undefined);
  t.is(nextAfterFailureMs({ intervalMs: 0, failures: 1 }), undefined);
});

test('after failures the pause doubles from a minute up to six hours, and the wish of the source counts within them', (t) => {
  const after = (failures: number, retryAfterMs?: number, intervalMs = MINUTE) =>
    (nextAfterFailureMs({ intervalMs, failures, retryAfterMs }, () => 0) ?? 0) / MINUTE;
  t.deepEqual(
    [1, 2, 3, 4, 9, 10, 100].map((failures) => after(failures)),
    [1, 2, 4, 8, 256, 360, 360],
  );
  t.is(after(1, 30 * MINUTE), 30);
  t.is(after(5, MINUTE), 16);
  t.is(after(1, 24 * 60 * MINUTE), 360);
  t.is(after(1, 24 * 60 * MINUTE, 24 * 60 * MINUTE), 1_440);
  t.deepEqual(
    [1, 2, 20].map((attempt) => fileRetryMs(attempt) / MINUTE),
    [1, 2, 360],
  );
});

test('files wait in their order, no more than there is room for, and the rest is known to be missing', async (t) => {
  const files = new PendingFiles(2);
  t.deepEqual(
    ['a', 'b', 'c'].map((path) => files.add(pending(path))),
    [true, true, false],
  );
  t.true(files.hasOverflowed);
  t.is((await files.next())?.path, 'a');
  t.true(files.add(pending('d')));
  files.end();
  t.deepEqual([(await files.next())?.path, (await files.next())?.path, await files.next()], ['b', 'd', undefined]);
});

test('suspects come when all others have, and count for the room there is', async (t) => {
  const files = new PendingFiles(3);
  for (const [path, isSuspect] of [
    ['s', true],
    ['a', false],
    ['b', false],
  ] as const)
    files.add(pending(path, isSuspect));
  t.false(files.add(pending('c', true)));
  files.end();
  const order = [];
  for (let next = await files.next(); next !== undefined; next = await files.next()) order.push(next.path);
  t.deepEqual(order, ['a', 'b', 's']);
});

test('who waits for a file gets it when it comes, and nothing when all are dropped', async (t) => {
  const files = new PendingFiles(10);
  const [first, second] = [files.next(), files.next()];
  files.add(pending('a'));
  t.is((await first)?.path, 'a');
  files.drop();
  t.is(await second, undefined);
});

test('no more work runs at a time than there are slots, and who is not wanted any more does not wait', async (t) => {
  const slots = new Slots(constant(2));
  const never = new AbortController();
  let [running, most] = [0, 0];
  const work = async (): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  await Promise.all(Array.from({ length: 10 }, () => slots.use(never.signal, work)));
  t.is(most, 2);

  const hold = Promise.withResolvers<void>();
  const holding = [slots.use(never.signal, () => hold.promise), slots.use(never.signal, () => hold.promise)];
  const abort = new AbortController();
  const waiting = slots.use(abort.signal, async () => t.fail());
  abort.abort(new Error('not wanted'));
  await t.throwsAsync(waiting, { message: 'not wanted' });
  hold.resolve();
  await Promise.all(holding);
  await slots.use(never.signal, work);
});

test('work that waits begins as soon as there are more slots', async (t) => {
  const count = new LiveValue(1);
  const slots = new Slots(count);
  const [never, hold, begun] = [new AbortController(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = slots.use(never.signal, () => hold.promise);
  const second = slots.use(never.signal, async () => begun.resolve());
  count.set(2);
  await begun.promise;
  hold.resolve();
  await t.notThrowsAsync(Promise.all([first, second]));
});
