/** What `items` yields, in batches of `size`; the last one may be smaller, none is empty. */
export async function* inBatches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/**
 * Calls `work` for each item, at most `limit` at a time. After the first error no further item is taken; the error is thrown when all
 * work under way has ended. Not p-map: it rejects while work is still under way, and keeps a result for each item.
 */
export const forEachLimit = async <T>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> => {
  // the async iterators given here are of generators, which let their callers wait in a row
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const errors: unknown[] = [];
  const takeItems = async (): Promise<void> => {
    try {
      for (let next = await iterator.next(); next.done !== true && errors.length === 0; next = await iterator.next())
        await work(next.value);
    } catch (error) {
      errors.push(error);
    }
  };
  await Promise.all(Array.from({ length: limit }, takeItems));
  await iterator.return?.();
  if (errors.length > 0) throw errors[0];
};
