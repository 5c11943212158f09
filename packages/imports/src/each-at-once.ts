/** How much is worked on at the same time. */
export interface AtOnce<T> {
  readonly records: number;
  /** What a record weighs, and how much may be held together; a heavier one is worked on alone. */
  readonly weigh: (record: T) => number;
  readonly maxWeight: number;
}

/** Runs `work` for what `given` yields, several at once. Throws the first error, after the others have ended. */
export const eachAtOnce = async <T>(
  given: AsyncIterable<T>,
  { records, weigh, maxWeight }: AtOnce<T>,
  work: (record: T) => Promise<void>,
): Promise<void> => {
  const running = new Set<Promise<void>>();
  let weight = 0;
  const failed: unknown[] = [];
  try {
    for await (const record of given) {
      const own = weigh(record);
      weight += own;
      const run = work(record)
        .catch((error: unknown) => void failed.push(error))
        .finally(() => {
          running.delete(run);
          weight -= own;
        });
      running.add(run);
      while (running.size >= records || (weight > maxWeight && running.size > 0)) await Promise.race(running);
      if (failed.length > 0) break;
    }
  } finally {
    await Promise.all(running);
  }
  if (failed.length > 0) throw failed[0];
};
