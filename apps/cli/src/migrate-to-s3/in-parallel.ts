/** Runs `work` on each item, at most `width` at a time. After the first error no further one is taken; it is thrown once all under way have ended. */
export const inParallel = async <T>(items: AsyncIterable<T>, width: number, work: (item: T) => Promise<void>): Promise<void> => {
  const iterator = items[Symbol.asyncIterator](); // of a generator, which lets its callers wait in a row
  const errors: unknown[] = [];
  const takeItems = async (): Promise<void> => {
    try {
      for (let next = await iterator.next(); next.done !== true && errors.length === 0; next = await iterator.next())
        await work(next.value);
    } catch (error) {
      errors.push(error);
    }
  };
  await Promise.all(Array.from({ length: width }, takeItems));
  await iterator.return?.();
  if (errors.length > 0) throw errors[0];
};
