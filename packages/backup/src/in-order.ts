/** Does `work` for up to `atOnce` items at the same time, and gives the results in the order of the items. */
export const mapInOrder = async function* <T, R>(
  items: AsyncIterable<T>,
  atOnce: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const begun: Promise<R>[] = [];
  try {
    for await (const item of items) {
      const [first] = begun.length >= atOnce ? begun.splice(0, 1) : [];
      if (first !== undefined) yield await first;
      const next = work(item);
      next.catch(() => {}); // seen when it is its turn
      begun.push(next);
    }
    while (begun.length > 0) for (const first of begun.splice(0, 1)) yield await first;
  } finally {
    await Promise.allSettled(begun);
  }
};
