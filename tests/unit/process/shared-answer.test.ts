import { shareAnswer } from '@sheaf/process';
import test from 'ava';

const counting = (answers: (number | Error)[], maxAgeMs: number) => {
  let asked = 0;
  const ask = shareAnswer(async () => {
    const answer = answers[asked];
    asked += 1;
    if (answer instanceof Error) throw answer;
    return answer;
  }, maxAgeMs);
  return { ask, asked: () => asked };
};

test('all who ask at the same time, and soon after, get one answer', async (t) => {
  const { ask, asked } = counting([1, 2], 60_000);
  t.deepEqual(await Promise.all([ask(), ask(), ask()]), [1, 1, 1]);
  t.is(await ask(), 1);
  t.is(asked(), 1);
});

test('an answer that is too old is asked for anew', async (t) => {
  const { ask } = counting([1, 2], 0);
  t.is(await ask(), 1);
  t.is(await ask(), 2);
});

test('a failure is told to those who waited, and the next one asks again', async (t) => {
  const { ask } = counting([new Error('away'), 2], 60_000);
  const waiting = [ask(), ask()];
  for (const one of waiting) await t.throwsAsync(one, { message: 'away' });
  t.is(await ask(), 2);
});
