/**
 * Runs `task` on each item and yields the results as they are finished, at most `width` under way. When the consumer stops
 * early or a task throws, what is under way is awaited before the iteration ends.
 */
export async function* inFinishedOrder<I, O>(items: Iterable<I>, width: number, task: (item: I) => Promise<O>): AsyncGenerator<O> {
  const underWay = new Map<I, Promise<{ item: I; result: O }>>();
  const source = items[Symbol.iterator]();
  const startNext = (): void => {
    const next = source.next();
    if (next.done === true) return;
    const item = next.value;
    const running = task(item).then((result) => ({ item, result }));
    // It may fail while the consumer is busy and nobody waits; whoever waits next is told.
    running.catch(() => {});
    underWay.set(item, running);
  };
  try {
    for (let i = 0; i < width; i += 1) startNext();
    while (underWay.size > 0) {
      const { item, result } = await Promise.race(underWay.values());
      underWay.delete(item);
      startNext();
      yield result;
    }
  } finally {
    await Promise.allSettled(underWay.values());
  }
}
