import { RequestCounter, SharedCounts } from '@sheaf/api/testing';
import { addRateLimitCounts } from '@sheaf/db/rate-limits';
import { constant, silentLogger } from '@sheaf/process';
import { machineLine } from './machine.ts';
import { median } from './median.ts';
import { openScratchDatabase } from './scratch-database.ts';

const ROUNDS = 5;
const LIMIT = constant(1_000_000_000);
const MS = 1_000;

type Counting = Pick<RequestCounter, 'count'>;

/** Microseconds that a count takes, `atOnce` of them under way; of one subject, or each of another. */
const microsecondsOf = async (counter: Counting, counts: number, atOnce: number, subjects: number): Promise<number> => {
  const begun = performance.now();
  for (let at = 0; at < counts; at += atOnce)
    await Promise.all(Array.from({ length: atOnce }, (_, n) => counter.count(`subject ${(at + n) % subjects}`)));
  return ((performance.now() - begun) * MS) / counts;
};

/** What the count of a request costs: in a process that is alone, in one of several, and over the limit. */
export const run = async (): Promise<void> => {
  console.log(`counts of requests, medians of ${ROUNDS} rounds in turns; ${machineLine()}`);
  await using database = await openScratchDatabase();
  const sharedBy = (hasOthers: boolean): SharedCounts =>
    new SharedCounts({
      addCounts: (additions) => addRateLimitCounts(database.db, additions),
      hasOthers: constant(hasOthers),
      log: silentLogger(),
    });
  const alone = new RequestCounter(LIMIT, { name: 'alone', shared: sharedBy(false) });
  const several = new RequestCounter(LIMIT, { name: 'several', shared: sharedBy(true) });
  const over = new RequestCounter(constant(1), { name: 'over', shared: sharedBy(true) });
  const cases: readonly (readonly [string, () => Promise<number>])[] = [
    ['alone, one at a time', () => microsecondsOf(alone, 200_000, 1, 100)],
    ['several, one at a time', () => microsecondsOf(several, 3_000, 1, 100)],
    ['several, 32 at once, one user', () => microsecondsOf(several, 32_000, 32, 1)],
    ['several, 32 at once, 32 users', () => microsecondsOf(several, 32_000, 32, 32)],
    ['several, over the limit', () => microsecondsOf(over, 200_000, 1, 1)],
  ];
  for (const [, measure] of cases) await measure();
  const rounds: number[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const figures: number[] = [];
    for (const [, measure] of cases) figures.push(await measure());
    rounds.push(figures);
  }
  for (const [at, [name]] of cases.entries())
    console.log(
      `  ${name.padEnd(32)} ${(median(rounds.map((figures) => figures[at] ?? Number.NaN)) ?? Number.NaN).toFixed(2).padStart(8)} µs for each request`,
    );
};
