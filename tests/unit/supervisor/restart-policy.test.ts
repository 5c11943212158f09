import test from 'ava';
import { type Ending, RestartPolicy, type Verdict } from '../../../apps/supervisor/src/restart-policy.ts';

const LIMITS = { deaths: 4, windowMs: 60_000, backoff: { baseMs: 500, maxMs: 1_500 } };
const CRASH: Ending = { code: 1, signal: undefined };

/** A policy without chance, and its verdicts on deaths at these milliseconds. */
const verdicts = (times: readonly number[], ending: Ending = CRASH): Verdict[] => {
  const policy = new RestartPolicy(LIMITS, () => 1);
  return times.map((ms) => policy.afterDeath(ending, new Date(1_800_000_000_000 + ms)));
};

test('pauses grow with each death and stay below their limit', (t) => {
  t.deepEqual(verdicts([0, 1_000, 2_000]), [
    { kind: 'restart', delayMs: 500 },
    { kind: 'restart', delayMs: 1_000 },
    { kind: 'restart', delayMs: 1_500 },
  ]);
});

test('pauses are spread, so that children that died together do not return together', (t) => {
  const policy = new RestartPolicy(LIMITS, () => 0);
  t.deepEqual(policy.afterDeath(CRASH, new Date()), { kind: 'restart', delayMs: 250 });
});

test('too many deaths within the window give up, and the reason names the last one', (t) => {
  const last = verdicts([0, 10_000, 20_000, 59_000], { code: undefined, signal: 'SIGSEGV' }).at(-1);
  t.like(last, { kind: 'give_up', exitCode: 1 });
  t.regex(JSON.stringify(last), /4 deaths within 60 seconds, the last by SIGSEGV/);
});

test('deaths that lie apart never give up, and their pauses start anew', (t) => {
  const spread = verdicts(Array.from({ length: 50 }, (_, n) => n * 61_000));
  t.true(spread.every((verdict) => verdict.kind === 'restart' && verdict.delayMs === 500));
});

for (const code of [69, 78]) {
  test(`exit code ${code} gives up at once and is passed on`, (t) => {
    t.like(verdicts([0], { code, signal: undefined })[0], { kind: 'give_up', exitCode: code });
  });
}

test('a clean end that nobody asked for is a death like any other', (t) => {
  t.deepEqual(verdicts([0], { code: 0, signal: undefined }), [{ kind: 'restart', delayMs: 500 }]);
});
