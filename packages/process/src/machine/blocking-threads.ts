/**
 * Sets how many threads this process has for what blocks: files, names of hosts, hashes of passwords. To be called before the first of
 * that; later it changes nothing. UV_THREADPOOL_SIZE of the environment goes before it, which is what the supervisor gives.
 */
export const setBlockingThreads = (count: number): void => {
  process.env['UV_THREADPOOL_SIZE'] ??= String(count);
};
