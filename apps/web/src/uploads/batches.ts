/** As many as one request may carry. */
const MOST_FILES = 10;
/** A request that breaks off has to be sent again: what is heavy goes alone. */
const MOST_BYTES = 16 * 1024 ** 2;

/**
 * How many of the waiting files, the first ones, go together in the next request, where `requests` more may be under way: few files each by
 * themselves, so that the first is there soon; many together, as the service counts the requests of a minute.
 */
export const batchSize = (sizesBytes: readonly number[], requests: number): number => {
  const most = Math.min(MOST_FILES, Math.ceil(sizesBytes.length / requests));
  let bytes = 0;
  let count = 0;
  for (const size of sizesBytes.slice(0, most)) {
    bytes += size;
    if (count > 0 && bytes > MOST_BYTES) break;
    count += 1;
  }
  return count;
};

/** How much of each file has gone out, 0 to 1, when `share` of all of them has, one after the other. */
export const sharesOf = (sizesBytes: readonly number[], share: number): number[] => {
  let sent = share * sizesBytes.reduce((sum, size) => sum + size, 0);
  return sizesBytes.map((size) => {
    const own = size === 0 ? share : Math.min(1, Math.max(0, sent / size));
    sent -= size;
    return own;
  });
};
