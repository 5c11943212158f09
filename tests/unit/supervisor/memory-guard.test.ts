import { type ComponentHealth, warning } from '@sheaf/contract/operations';
import { silentLogger } from '@sheaf/process';
import { MemoryGuard } from '@sheaf/supervisor/testing';
import test from 'ava';

const MEGABYTE = 1024 * 1024;

const givenGuard = (use: Record<string, number>) => {
  const state = {
    use,
    own: { 'ocr-worker': 300 } as Record<string, number>,
    now: 0,
    restarted: [] as string[],
    reported: undefined as ComponentHealth | undefined,
  };
  const guard = new MemoryGuard({
    limitBytes: 1_000 * MEGABYTE,
    lookEveryMs: 5_000,
    looks: 3,
    pauseMs: 60_000,
    longestPauseMs: 200_000,
    read: () => new Map(Object.entries(state.use).map(([name, megabytes]) => [name, megabytes * MEGABYTE])),
    restartable: ['ocr-worker', 'ocr-worker.1'].map((name) => ({
      name,
      ownBytes: () => (state.own[name] ?? 0) * MEGABYTE,
      restart: async () => void state.restarted.push(name),
    })),
    notify: (health) => (state.reported = health),
    clock: { now: () => new Date(state.now) },
    log: silentLogger(),
  });
  const look = async (times: number): Promise<readonly string[]> => {
    for (let n = 0; n < times; n += 1) await guard.look();
    return state.restarted;
  };
  return { state, guard, look };
};

test('a moment above the limit changes nothing, three looks in a row have the largest that may be restarted started anew', async (t) => {
  const { state, guard, look } = givenGuard({ api: 700, 'ocr-worker': 200, 'ocr-worker.1': 300 });
  state.own = { 'ocr-worker': 280, 'ocr-worker.1': 300 };
  t.deepEqual(await look(2), []);
  state.use = { api: 100, 'ocr-worker': 200, 'ocr-worker.1': 300 };
  t.deepEqual(await look(1), []);
  state.use = { api: 700, 'ocr-worker': 200, 'ocr-worker.1': 300 };
  t.deepEqual(await look(2), []);
  t.is(guard.health().status, 'healthy');
  t.deepEqual(state.reported, { status: 'healthy' });
  t.deepEqual(await look(1), ['ocr-worker.1']);
});

test('it happens once a minute at most, and meanwhile health says what is wrong', async (t) => {
  const { state, guard, look } = givenGuard({ api: 900, 'ocr-worker': 200 });
  t.deepEqual(await look(3), ['ocr-worker']);
  state.now = 59_999;
  t.deepEqual(await look(10), ['ocr-worker']);
  t.deepEqual(guard.health(), warning('memory_limit_exceeded', { used_bytes: 1_100 * MEGABYTE, limit_bytes: 1_000 * MEGABYTE }));
  t.deepEqual(state.reported, guard.health(), 'it is told after each look');
  state.now = 60_000;
  t.deepEqual(await look(1), ['ocr-worker', 'ocr-worker']);
});

test('restarts that do not help become seldom, and health says until it is enough what is wrong', async (t) => {
  const { state, guard, look } = givenGuard({ api: 900, 'ocr-worker': 200 });
  const restartsAt = async (ms: number): Promise<number> => {
    state.now = ms;
    return (await look(3)).length;
  };
  t.is(await restartsAt(0), 1);
  t.is(guard.health().status, 'warning', 'just after a restart it is not known whether it helps');
  t.is(await restartsAt(60_000), 2);
  t.is(await restartsAt(179_999), 2);
  t.is(await restartsAt(180_000), 3);
  t.is(await restartsAt(379_999), 3);
  t.is(await restartsAt(380_000), 4, 'longestPauseMs, not 240 s');
  state.use = { api: 500, 'ocr-worker': 200 };
  await look(2);
  t.is(guard.health().status, 'warning', 'a process that starts takes little for a moment');
  t.is((await look(1)).length, 4);
  t.is(guard.health().status, 'healthy');
  state.use = { api: 900, 'ocr-worker': 200 };
  t.is(await restartsAt(640_000), 5);
  t.is(await restartsAt(700_000), 6, 'a minute again');
});

test('what is used by programs that a worker started is no reason to restart it', async (t) => {
  const { state, guard, look } = givenGuard({ api: 100, 'ocr-worker': 1_200, 'ocr-worker.1': 200 });
  state.own = { 'ocr-worker': 249, 'ocr-worker.1': 150 };
  t.deepEqual(await look(20), []);
  t.is(guard.health().status, 'warning', 'it is reported all the same');
  state.own = { 'ocr-worker': 249, 'ocr-worker.1': 250 };
  state.now = 60_000;
  t.deepEqual(await look(3), ['ocr-worker.1']);
});
