import { setTimeout as sleepMs } from 'node:timers/promises';

/** Resolves after `ms`, or as soon as `signal` is aborted: true when the whole time passed. */
export const sleep = async (ms: number, signal: AbortSignal): Promise<boolean> => {
  try {
    await sleepMs(ms, undefined, { signal });
    return true;
  } catch {
    return false; // only an abort rejects
  }
};

/** What `work` comes to, or undefined when that takes longer than `limitMs`. The work goes on. */
export const within = async <T>(work: Promise<T>, limitMs: number): Promise<T | undefined> => {
  const done = new AbortController();
  try {
    return await Promise.race([work, sleep(limitMs, done.signal).then(() => undefined)]);
  } finally {
    done.abort();
  }
};

/** Resolves as soon as `signal` is aborted. */
export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

interface RetryOptions {
  /** In all, the first one included. */
  readonly attempts: number;
  /** Whether the error may be none the next time. */
  readonly isPassing: (error: unknown) => boolean;
}

/** What `work` comes to, tried again at once after an error that passes. Throws the last error, and any other one. */
export const retry = async <T>(work: () => Promise<T>, { attempts, isPassing }: RetryOptions): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts || !isPassing(error)) throw error;
    }
  }
};

/** `baseMs` doubled with each attempt up to `maxMs`, then spread over 50 to 100 % so that many waiters do not return together. */
export const backoffMs = (
  attempt: number,
  { baseMs, maxMs }: { baseMs: number; maxMs: number },
  random: () => number = Math.random,
): number => Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, 30)) * (0.5 + random() / 2);

export interface PollOptions {
  /** What is awaited, in words: "port 8080 to open". One that tells how far things are is a function, asked when the limit has passed. */
  readonly description: string | (() => string | Promise<string>);
  readonly limitMs: number;
  readonly everyMs?: number;
  readonly signal?: AbortSignal;
}

const inWords = async ({ description }: PollOptions): Promise<string> =>
  typeof description === 'string' ? description : await description();

/** Asks `probe` until it answers something other than undefined or false, and returns that. Throws when the limit passes. */
export const waitFor = async <T>(probe: () => Promise<T | undefined | false> | T | undefined | false, options: PollOptions): Promise<T> => {
  const deadline = performance.now() + options.limitMs;
  const signal = options.signal ?? new AbortController().signal;
  for (;;) {
    const answer = await probe();
    if (answer !== undefined && answer !== false) return answer;
    if (signal.aborted) throw new Error(`Stopped while waiting for ${await inWords(options)}`);
    if (performance.now() > deadline) throw new Error(`Timed out after ${options.limitMs} ms waiting for ${await inWords(options)}`);
    await sleep(options.everyMs ?? 25, signal);
  }
};
