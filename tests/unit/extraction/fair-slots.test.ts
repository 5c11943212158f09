import { FairSlots } from '@sheaf/extraction/testing';
import test from 'ava';

const never = new AbortController().signal;
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('no more tasks run than there are slots', async (t) => {
  const slots = new FairSlots(2);
  let running = 0;
  let most = 0;
  const task = async (): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await tick();
    running -= 1;
  };
  await Promise.all(Array.from({ length: 10 }, () => slots.run({}, never, task)));
  t.is(most, 2);
});

test('a short document does not wait for a long one', async (t) => {
  const slots = new FairSlots(1);
  const order: string[] = [];
  const [long, short] = [{}, {}];
  const tasks = Array.from({ length: 5 }, (_, i) => slots.run(long, never, async () => void order.push(`long ${i}`)));
  tasks.push(slots.run(short, never, async () => void order.push('short')));
  await Promise.all(tasks);
  t.is(order.indexOf('short'), 2);
});

test('who is aborted while waiting leaves the queue and takes no slot', async (t) => {
  const slots = new FairSlots(1);
  const release = Promise.withResolvers<void>();
  const first = slots.run({}, never, () => release.promise);
  const abort = new AbortController();
  const waiting = slots.run({}, abort.signal, async () => t.fail());
  abort.abort(new Error('no longer wanted'));
  await t.throwsAsync(waiting, { message: 'no longer wanted' });
  release.resolve();
  await first;
  t.is(await slots.run({}, never, async () => 'free'), 'free');
});

test('a task that throws gives its slot back', async (t) => {
  const slots = new FairSlots(1);
  await t.throwsAsync(slots.run({}, never, () => Promise.reject(new Error('broken'))));
  t.is(await slots.run({}, never, async () => 'free'), 'free');
});

test('an urgent document takes the next free slot, however many wait', async (t) => {
  const slots = new FairSlots(1);
  const order: string[] = [];
  const others = Array.from({ length: 8 }, (_, i) => slots.run({}, never, async () => void order.push(`other ${i}`)));
  t.true(slots.isFull);
  const urgent = { isUrgent: true };
  const pages = [1, 2].map((page) => slots.run(urgent, never, async () => void order.push(`urgent ${page}`)));
  await Promise.all([...others, ...pages]);
  t.deepEqual(order.slice(0, 4), ['other 0', 'urgent 1', 'urgent 2', 'other 1']);
  t.false(slots.isFull);
});
