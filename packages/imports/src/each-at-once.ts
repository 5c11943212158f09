/** Runs `work` for what `records` yields, so many at once. Throws the first error, after the others have ended. */
export const eachAtOnce = async <T>(records: AsyncIterable<T>, atOnce: number, work: (record: T) => Promise<void>): Promise<void> => {
  const running = new Set<Promise<void>>();
  const failed: unknown[] = [];
  try {
    for await (const record of records) {
      const run = work(record).catch((error: unknown) => void failed.push(error));
      const tracked = run.finally(() => running.delete(tracked));
      running.add(tracked);
      if (running.size >= atOnce) await Promise.race(running);
      if (failed.length > 0) break;
    }
  } finally {
    await Promise.all(running);
  }
  if (failed.length > 0) throw failed[0];
};
