import { addRateLimitCounts, deleteEndedRateLimitCounts } from '@sheaf/db/rate-limits';
import { testWithDatabase } from '../../support/test-database.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = testWithDatabase();

const MINUTE_MS = 60_000;

test('counts add up until the window ends, whatever window others wanted, and the next one begins anew', async (t) => {
  const { db } = t.context;
  const add = async (points: number, msLeft: number) => (await addRateLimitCounts(db, [{ subject: 'window', points, msLeft }]))[0];
  const first = await add(2, 300);
  t.is(first?.points, 2);
  t.true((first?.msLeft ?? 0) <= 300);
  const second = await add(3, MINUTE_MS);
  if (second?.endsAtMs === first?.endsAtMs) t.is(second?.points, 5);
  const next = await waitFor(
    async () => {
      const count = await add(1, MINUTE_MS);
      return (count?.msLeft ?? 0) > 1_000 ? count : undefined;
    },
    { description: 'the next window', limitMs: 20_000 },
  );
  t.not(next.endsAtMs, first?.endsAtMs);
  t.true(next.points <= 4);
});

test('many at once lose nothing, and two that add to the same subjects in another order do not block each other', async (t) => {
  const { db } = t.context;
  const subjects = Array.from({ length: 500 }, (_, number) => `many ${number}`);
  const rounds = Array.from({ length: 40 }, (_, round) =>
    addRateLimitCounts(
      db,
      (round % 2 === 0 ? subjects : subjects.toReversed()).map((subject) => ({ subject, points: 1, msLeft: MINUTE_MS })),
    ),
  );
  const counts = (await Promise.all(rounds)).flat();
  for (const subject of subjects.slice(0, 20))
    t.deepEqual(
      counts
        .filter((count) => count.subject === subject)
        .map(({ points }) => points)
        .toSorted((a, b) => a - b),
      Array.from({ length: 40 }, (_, round) => round + 1),
    );
});

test('what has ended is forgotten, some of it at a time, and nothing else', async (t) => {
  const { db, pool } = t.context;
  await pool.query(`insert into rate_limit_counts select 'ended ' || n, 1, now() - interval '1 second' from generate_series(1, 5) n`);
  await addRateLimitCounts(db, [{ subject: 'lasting', points: 1, msLeft: MINUTE_MS }]);
  t.is(await deleteEndedRateLimitCounts(db, 3), 3);
  t.true((await deleteEndedRateLimitCounts(db, 100)) >= 2);
  const { rows } = await pool.query(`select subject from rate_limit_counts where subject like 'ended%' or subject = 'lasting'`);
  t.deepEqual(rows, [{ subject: 'lasting' }]);
});
