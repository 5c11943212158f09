import type { Transferable } from 'node:worker_threads';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Piscina } from 'piscina';
import { lateLibrary } from './late-library.ts';
import type { Live } from './live.ts';

export interface ThreadPoolSettings {
  /** The module whose default export does a task. */
  readonly file: URL;
  /** At the same time. */
  readonly threads: Live<number>;
  /**
   * Heap of one thread. Buffers lie outside of it, and V8 ends the whole process where one array or string alone would exceed
   * it: a task has to bound what it reads, far below this.
   */
  readonly memoryBytes: number;
  /** A thread without a task ends after this. */
  readonly idleMs: number;
}

export interface ThreadTask<I> {
  readonly input: I;
  /** Counted from the moment at which a thread has the task. Absent: whoever gives the task ends it by `signal`. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly transfer?: readonly Transferable[];
}

/** `failed`: the task threw, and the thread goes on. In the other cases the thread is gone, and the task with it. */
export type ThreadOutcome<O> =
  | { readonly ok: true; readonly value: O }
  | { readonly ok: false; readonly reason: 'timeout' | 'out_of_memory' | 'died' | 'failed'; readonly error: unknown };

const MIB = 1024 * 1024;
/** What the pool itself gets; `threads` of the settings is what counts. */
const MOST_THREADS = 256;
const EXIT = /^worker exited with code/;

/**
 * Threads for work on strangers' bytes. A task that takes too long or too much memory ends with its thread, and no other task
 * is touched. Threads are started with the first tasks, stay warm, and end when none comes.
 */
export class ThreadPool<I, O> {
  readonly #settings: ThreadPoolSettings;
  readonly #limit: LimitFunction;
  #pool: Piscina<I, O> | undefined;
  #startError: unknown;

  constructor(settings: ThreadPoolSettings) {
    this.#settings = settings;
    this.#limit = pLimit(settings.threads.current());
  }

  /** Threads that are running, at work or idle. */
  get size(): number {
    return this.#pool?.threads.length ?? 0;
  }

  /** Waits for a thread and does the task in it. Throws the signal's reason when that is aborted; the thread ends then. */
  run(task: ThreadTask<I>): Promise<ThreadOutcome<O>> {
    this.#limit.concurrency = this.#settings.threads.current();
    return this.#limit(() => this.#run(task));
  }

  /** Ends the threads, whatever they are doing. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.destroy();
  }

  async #run({ input, timeoutMs, signal, transfer = [] }: ThreadTask<I>): Promise<ThreadOutcome<O>> {
    signal?.throwIfAborted();
    const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const ended = AbortSignal.any([signal, timeout].filter((one) => one !== undefined));
    this.#pool ??= this.#open();
    try {
      return { ok: true, value: await this.#pool.run(input, { signal: ended, transferList: [...transfer] as never }) };
    } catch (error) {
      signal?.throwIfAborted();
      if (timeout?.aborted === true) return { ok: false, reason: 'timeout', error };
      return { ok: false, reason: reasonOf(error), error: isEndOfPool(error) ? (this.#startError ?? error) : error };
    }
  }

  #open(): Piscina<I, O> {
    const { file, memoryBytes, idleMs } = this.#settings;
    const { Piscina: Pool } = lateLibrary('piscina');
    const pool = new Pool<I, O>({
      filename: file.href,
      minThreads: 0,
      maxThreads: MOST_THREADS,
      idleTimeout: idleMs,
      recordTiming: false, // nobody asks, and it takes 0.7 MB
      // A thread that waits for its next task keeps serving its event loop: what it has ended is let go of.
      atomics: 'disabled',
      resourceLimits: { maxOldGenerationSizeMb: Math.max(1, Math.floor(memoryBytes / MIB)), maxYoungGenerationSizeMb: 16 },
    });
    // of a thread without a task: nobody misses it, unless it is the last one and did not start
    pool.on('error', (error: unknown) => this.#replaceIfDead(pool, error));
    return pool;
  }

  /** A pool whose threads do not start keeps its tasks waiting for ever. They fail, and the next task opens another pool. */
  #replaceIfDead(pool: Piscina<I, O>, error: unknown): void {
    if (pool.threads.length > 0) return;
    this.#startError = error;
    if (this.#pool === pool) this.#pool = undefined;
    void pool.destroy();
  }
}

/** Of a task that had no thread yet when its pool ended. */
const isEndOfPool = (error: unknown): boolean => error instanceof Error && error.message === 'Terminating worker thread';

const reasonOf = (error: unknown): 'out_of_memory' | 'died' | 'failed' => {
  if (!(error instanceof Error)) return 'failed';
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return 'out_of_memory';
  return EXIT.test(error.message) ? 'died' : 'failed';
};
