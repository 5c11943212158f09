/** Timings are taken alternately and the least of each counts: what else the machine does only makes them longer. */
const ROUNDS = 3;
const MAX_TRIES = 4;
/** Enough where a try is not better than this. */
const GOOD_GROWTH = 2.2;
/** The smaller input takes at least so long, or the clock is all that is measured. */
const MIN_MS = 5;
const MAX_DOUBLINGS = 7;
/** What the clock can tell: the code may get faster after it was measured. */
const SMALLEST_MS = 1;
/** The larger input is three times doubled: caches and the collector of garbage cost up to twice, a square costs eight times. */
const DOUBLINGS_BETWEEN = 3;

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

const timeOf = async (work: () => unknown): Promise<number> => {
  const started = cpuMs();
  await work();
  return cpuMs() - started;
};

/** The least times of `run` for both inputs. */
const timesOf = async <T>(run: (input: T) => unknown, small: T, large: T): Promise<[number, number]> => {
  const times: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round += 1) {
    times[0] = Math.min(times[0], await timeOf(() => run(small)));
    times[1] = Math.min(times[1], await timeOf(() => run(large)));
  }
  return times;
};

/** A size whose work can be measured, or undefined when even 64 times `size` takes no time to speak of. */
const measurableSize = async <T>(make: (size: number) => T, run: (input: T) => unknown, size: number): Promise<number | undefined> => {
  for (let doubling = 0, n = size; doubling < MAX_DOUBLINGS; doubling += 1, n *= 2) {
    const input = make(n);
    const coldMs = await timeOf(() => run(input));
    if (coldMs >= MIN_MS && (await timeOf(() => run(input))) >= MIN_MS) return n;
  }
  return undefined;
};

/**
 * How many times the processor time that `run` takes for an input of twice the size, on average over three doublings: 2 for a
 * linear one, 4 for a quadratic one; 0 where it takes none to speak of. `size` is doubled until the work can be measured. The least of a few tries. One at a time:
 * it measures the thread that it runs in.
 */
export const growthOf = async <T>(make: (size: number) => T, run: (input: T) => unknown, size: number): Promise<number> => {
  const n = await measurableSize(make, run, size);
  if (n === undefined) return 0;
  const [small, large] = [make(n), make(n * 2 ** DOUBLINGS_BETWEEN)];
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < MAX_TRIES && least > GOOD_GROWTH; tries += 1) {
    const [smallMs, largeMs] = await timesOf(run, small, large);
    least = Math.min(least, (largeMs / Math.max(smallMs, SMALLEST_MS)) ** (1 / DOUBLINGS_BETWEEN));
  }
  return least;
};
