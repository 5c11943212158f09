/** Names and values, as a process gets them. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface ChildLimits {
  /** Largest heap of one process. */
  readonly heapBytes: number;
  /** Threads of one process for what blocks. */
  readonly blockingThreads: number;
}

const MEGABYTE = 1024 * 1024;

/**
 * What a process of Node reads before any of our code runs. What the person gives in NODE_OPTIONS and UV_THREADPOOL_SIZE, and flags of
 * the Procfile, go before it.
 */
export const limitsInEnvironment = (given: Environment, { heapBytes, blockingThreads }: ChildLimits): Environment => {
  const { NODE_OPTIONS = '', UV_THREADPOOL_SIZE = String(blockingThreads) } = given;
  const heap = `--max-old-space-size=${Math.floor(heapBytes / MEGABYTE)}`;
  return { NODE_OPTIONS: `${heap} ${NODE_OPTIONS}`.trimEnd(), UV_THREADPOOL_SIZE };
};
