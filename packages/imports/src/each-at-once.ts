/** How much is worked on at the same time. */
export interface AtOnce<T> {
  readonly records: number;
  /** What a record weighs, and how much may be held together; a heavier one is worked on alone. */
  readonly weigh: (record: T) => number;
  readonly maxWeight: number;
  /** Records with the same key are worked on one behind the other, in their order. */
  readonly keyOf: (record: T) => string | undefined;
}

/** Runs `work` for what `given` yields, several at once. Throws the first error, after the others have ended. */
export const eachAtOnce = async <T>(
  given: AsyncIterable<T>,
  { records, weigh, maxWeight, keyOf }: AtOnce<T>,
  work: (record: T) => Promise<void>,
): Promise<void> => {
  // with what each weighs
  const running = new Map<Promise<void>, number>();
  const last = new Map<string, Promise<void>>();
  const failed: unknown[] = [];
  const isFull = (): boolean => running.size >= records || [...running.values()].reduce((sum, weight) => sum + weight, 0) > maxWeight;
  try {
    for await (const record of given) {
      const key = keyOf(record);
      const before = key === undefined ? undefined : last.get(key);
      const run: Promise<void> = (before === undefined ? work(record) : before.then(() => work(record)))
        .catch((error: unknown) => void failed.push(error))
        .finally(() => {
          running.delete(run);
          if (key !== undefined && last.get(key) === run) last.delete(key);
        });
      if (key !== undefined) last.set(key, run);
      running.set(run, weigh(record));
      while (isFull()) await Promise.race(running.keys());
      if (failed.length > 0) break;
    }
  } finally {
    await Promise.all(running.keys());
  }
  if (failed.length > 0) throw failed[0];
};
