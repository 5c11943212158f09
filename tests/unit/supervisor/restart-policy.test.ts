import { unhealthy } from '@sheaf/contract/operations';
import { type Ending, findStop, RESTART_LIMITS, RestartPolicy } from '@sheaf/supervisor/testing';
import test from 'ava';

const LIMITS = { repeatedCrashes: 3, steadyMs: 60_000, backoff: { baseMs: 500, maxMs: 1_500 } };
const CRASH: Ending = { code: 1, signal: undefined };
const at = (ms: number): Date => new Date(1_800_000_000_000 + ms);

/** A policy without chance. */
const makePolicy = () => new RestartPolicy(LIMITS, () => 1);

/** The delays after crashes at these milliseconds, of a process that was ready `upMs` before each. */
const delaysAfter = (times: readonly number[], upMs: number): number[] => {
  const policy = makePolicy();
  return times.map((ms) => {
    policy.becameReady(at(ms - upMs));
    return policy.afterCrash(CRASH, at(ms));
  });
};

test('the delay doubles with each crash up to its limit, and restarts never end', (t) => {
  const delays = delaysAfter(
    Array.from({ length: 1_000 }, (_, n) => n * 2_000),
    10,
  );
  t.deepEqual(delays.slice(0, 4), [500, 1_000, 1_500, 1_500]);
  t.deepEqual(new Set(delays.slice(3)), new Set([1_500]));
});

test('the service waits at most a minute before the next start', (t) => {
  const policy = new RestartPolicy(RESTART_LIMITS, () => 1);
  const delays = Array.from({ length: 12 }, (_, n) => policy.afterCrash(CRASH, at(n * 1_000)));
  t.is(delays.at(-1), 60_000);
});

test('delays are spread, so that processes that crashed together do not return together', (t) => {
  const policy = new RestartPolicy(LIMITS, () => 0);
  t.is(policy.afterCrash(CRASH, new Date()), 250);
});

test('a process that ran well for a while starts with the shortest delay again', (t) => {
  t.deepEqual(
    new Set(
      delaysAfter(
        Array.from({ length: 50 }, (_, n) => n * 70_000),
        60_000,
      ),
    ),
    new Set([500]),
  );
});

test('a process that lives long and is never ready does not run well', (t) => {
  const policy = makePolicy();
  t.deepEqual([policy.afterCrash(CRASH, at(0)), policy.afterCrash(CRASH, at(600_000))], [500, 1_000]);
});

test('repeated crashes are unhealthy with the reason, the number and the next start, until the process ran well for a while', (t) => {
  const policy = makePolicy();
  policy.afterCrash(CRASH, at(0));
  policy.afterCrash(CRASH, at(1_000));
  t.is(policy.crashHealth('worker', at(1_000)), undefined);
  policy.afterCrash({ code: undefined, signal: 'SIGSEGV' }, at(2_000));
  const facts = { process: 'worker', crashes: 3, exit_code: '?', signal: 'SIGSEGV', unresponsive: false };
  t.deepEqual(
    policy.crashHealth('worker', at(2_000)),
    unhealthy('process_crashing', { ...facts, state: 'waiting', state_at: '2027-01-15T08:00:03.500Z' }),
  );
  policy.becameReady(at(4_000));
  t.deepEqual(
    policy.crashHealth('worker', at(5_000)),
    unhealthy('process_crashing', { ...facts, state: 'running', state_at: at(4_000).toISOString() }),
  );
  t.is(policy.crashHealth('worker', at(64_000)), undefined);
});

for (const code of [69, 78]) {
  test(`exit code ${code} stops the service and is passed on`, (t) => {
    t.is(findStop({ code, signal: undefined }), code);
  });
}

test('no other exit stops the service, also a clean one that nobody asked for', (t) => {
  for (const code of [0, 1, 2, 70, 127, 255]) t.is(findStop({ code, signal: undefined }), undefined);
  t.is(findStop({ code: undefined, signal: 'SIGKILL' }), undefined);
});
