import { RequestCounter } from '@sheaf/api/testing';
import { constant, LiveValue } from '@sheaf/process';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';

test('counts each subject by itself and says when one has had all', async (t) => {
  const counter = new RequestCounter(constant(2));
  const counts = [];
  for (const subject of ['a', 'a', 'b', 'a']) counts.push(await counter.count(subject));
  t.deepEqual(
    counts.map(({ remaining, isOver }) => [remaining, isOver]),
    [
      [1, false],
      [0, false],
      [1, false],
      [0, true],
    ],
  );
  t.true(counts.every(({ limit, msLeft }) => limit === 2 && msLeft > 59_000 && msLeft <= 60_000));
});

test('a window ends by itself, and being refused does not make it longer', async (t) => {
  const counter = new RequestCounter(constant(1), { windowSeconds: 0.3 });
  t.false((await counter.count('a')).isOver);
  t.true((await counter.count('a')).isOver);
  await waitFor(async () => !(await counter.count('a')).isOver, { description: 'the next window', limitMs: 20_000, everyMs: 50 });
  t.pass();
});

test('a change of the limit holds for windows that have begun', async (t) => {
  const points = new LiveValue(1);
  const counter = new RequestCounter(points);
  await counter.count('a');
  points.set(3);
  t.deepEqual({ ...(await counter.count('a')), msLeft: 0 }, { limit: 3, remaining: 1, isOver: false, msLeft: 0 });
});

test('of too many subjects the one that began first is forgotten, and no other', async (t) => {
  const counter = new RequestCounter(constant(1), { maxSubjects: 3 });
  for (const subject of ['a', 'b', 'c', 'd']) await counter.count(subject);
  t.true((await counter.count('d')).isOver);
  t.true((await counter.count('c')).isOver);
  t.true((await counter.count('b')).isOver);
  t.false((await counter.count('a')).isOver);
  t.false((await counter.count('b')).isOver, 'the room that `a` takes again is that of `b`');
});
