import { isFullRun } from '@sheaf/testkit';
import { threadCpuMs } from './thread-cpu-ms.ts';

/** Timings are taken alternately and the least of each counts: what else the machine does only makes them longer. */
const ROUNDS = 3;
const MAX_TRIES = 4;
/** The work that is timed takes at least so long: some kernels count the time of a thread in steps of 4 ms. */
const MIN_MS = isFullRun ? 60 : 16;
/** In the usual run the work is found from smaller sizes on, which are enough to tell a linear one from a quadratic one. */
const HALVINGS_BEFORE = isFullRun ? 0 : 5;
const MAX_DOUBLINGS = 5 + HALVINGS_BEFORE;
/** The larger input is three times doubled, and compared with as many runs of the smaller one as make the same amount of work. */
const DOUBLINGS_BETWEEN = 3;
const TIMES_LARGER = 2 ** DOUBLINGS_BETWEEN;
/** Between a linear one, 2, and a quadratic one, 4: caches and the collector of garbage cost up to three times. */
export const MAX_LINEAR_GROWTH = 3.2;

const timeOf = async (times: number, work: () => unknown): Promise<number> => {
  const started = threadCpuMs();
  for (let time = 0; time < times; time += 1) await work();
  return threadCpuMs() - started;
};

/** The least times of as much work in small inputs and in a large one. */
const timesOf = async <T>(run: (input: T) => unknown, small: T, large: T): Promise<[number, number]> => {
  const times: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round += 1) {
    times[0] = Math.min(times[0], await timeOf(TIMES_LARGER, () => run(small)));
    times[1] = Math.min(times[1], await timeOf(1, () => run(large)));
  }
  return times;
};

/** A size whose work can be measured, and what it takes; undefined when even the largest takes no time to speak of. */
const findMeasurable = async <T>(make: (size: number) => T, run: (input: T) => unknown, size: number) => {
  for (let doubling = 0, n = size; doubling <= MAX_DOUBLINGS; doubling += 1, n *= 2) {
    const input = make(n);
    const coldMs = await timeOf(TIMES_LARGER, () => run(input));
    if (coldMs < MIN_MS) continue;
    const ms = await timeOf(TIMES_LARGER, () => run(input));
    if (ms >= MIN_MS) return { n, small: input, ms };
  }
  return undefined;
};

const growthBetween = (smallMs: number, largeMs: number): number => 2 * (largeMs / smallMs) ** (1 / DOUBLINGS_BETWEEN);

interface GrowthOptions {
  /** How often a growth that is not linear is measured again. */
  readonly maxTries?: number;
  /** Smaller sizes than `size` have another growth. */
  readonly isLeast?: boolean;
}

/**
 * How many times the processor time that `run` takes for an input of twice the size, on average over three doublings: 2 for a
 * linear one, 4 for a quadratic one; 0 where 32 times `size` takes none to speak of. `size` is doubled until the work can be
 * measured. A growth that is not linear is measured again, and the least counts. One at a time: it measures the thread that it
 * runs in.
 */
export const growthOf = async <T>(
  make: (size: number) => T,
  run: (input: T) => unknown,
  size: number,
  { maxTries = MAX_TRIES, isLeast = false }: GrowthOptions = {},
): Promise<number> => {
  const found = await findMeasurable(make, run, isLeast ? size : Math.ceil(size / 2 ** HALVINGS_BEFORE));
  if (found === undefined) return 0;
  const { small } = found;
  const large = make(found.n * TIMES_LARGER);
  // one look is enough for most: a quadratic one takes eight times as long in it
  let least = growthBetween(found.ms, await timeOf(1, () => run(large)));
  for (let tries = 0; tries < maxTries && least > MAX_LINEAR_GROWTH; tries += 1)
    least = Math.min(least, growthBetween(...(await timesOf(run, small, large))));
  return least;
};
