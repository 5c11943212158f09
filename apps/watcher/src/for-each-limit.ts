/** Calls `work` for each item, at most `limit` at a time, until the first one throws; that error is thrown when all running ones ended. */
export const forEachLimit = async <T>(items: Iterable<T>, limit: number, work: (item: T) => Promise<void>): Promise<void> => {
  const iterator = items[Symbol.iterator]();
  let failed = false;
  const lane = async (): Promise<void> => {
    while (!failed) {
      const next = iterator.next();
      if (next.done === true) return;
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: limit }, lane));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
};
