import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ServiceProblem } from '@sheaf/contract/operations';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Logger } from './log.ts';
import { errorText } from './log-errors.ts';
import { type Component, Loop } from './loop.ts';

/** Ends the process with `exitCode` and says what is wrong. Thrown by whoever finds that there is no point in going on. */
export class FatalError extends Error {
  override readonly name = 'FatalError';
  readonly exitCode: number;
  readonly problem: ServiceProblem;

  constructor(problem: ServiceProblem, exitCode: number = EXIT.failed, cause?: unknown) {
    super(problem.message, cause === undefined ? undefined : { cause });
    this.problem = problem;
    this.exitCode = exitCode;
  }
}

/** What lies behind a failure is worth its trace; behind a mistake of the person it is in the message already. */
const causeOf = ({ cause, exitCode }: FatalError): { readonly err?: unknown } =>
  cause === undefined || exitCode !== EXIT.failed ? {} : { err: cause };

/** Stops what was started last first. A component that fails to stop keeps no other from it. */
export const stopInReverse = async (started: readonly Component[], log: Logger): Promise<void> => {
  for (const component of started.toReversed()) {
    try {
      await component.stop();
    } catch (error) {
      log.error({ err: error, component: component.name }, 'component failed to stop');
    }
  }
};

/** Resolves with the reason at the first of: SIGTERM, SIGINT, the supervisor's channel closed, a fatal error. */
const untilAskedToStop = (signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    // `on`, not `once`: a library that finds no other listener left (execa's clean-up) would end the process at once
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => resolve(name));
    const alone = (): void => resolve('supervisor connection closed');
    if (process.send !== undefined && !process.connected)
      alone(); // it went while we were loading
    else process.once('disconnect', alone);
    signal.addEventListener('abort', () => resolve('a fatal error'), { once: true });
  });

export interface LifeOptions {
  readonly log: Logger;
  /** After a request to stop, the process ends by force when its components took longer than this. */
  readonly graceMs: number;
  /** Called when all components have started. */
  readonly onReady?: () => Promise<void> | void;
  /** What an error means to the person who runs the service, where that is known; else the error itself. */
  readonly explain?: (error: unknown) => unknown;
}

/** Logs why the process ends, and returns its exit code. What the person has to do is said in the message of a FatalError. */
export const logFatal = (error: unknown, log: Logger): number => {
  const code = error instanceof FatalError ? error.exitCode : EXIT.failed;
  const facts = error instanceof FatalError ? { exit_code: code, code: error.problem.code, ...causeOf(error) } : { err: error };
  log.fatal(facts, error instanceof Error ? errorText(error) : 'fatal error');
  return code;
};

/**
 * Starts `components` in order, waits until the process is asked to stop, stops them in reverse and returns the exit code.
 * A component that cannot start, an uncaught error and a FatalError end the process with a code other than 0.
 */
export const runComponents = async (
  components: readonly Component[],
  { log, graceMs, onReady, explain = (error) => error }: LifeOptions,
): Promise<number> => {
  const fatal = new AbortController();
  let exitCode: number = EXIT.done;
  const fail = (error: unknown): void => {
    const code = logFatal(explain(error), log);
    if (!fatal.signal.aborted) exitCode = code; // the first one is the reason, the others follow from it
    fatal.abort();
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  const asked = untilAskedToStop(fatal.signal);
  // Signal listeners alone do not keep the event loop alive.
  const keepAlive = setInterval(() => {}, 60_000);

  const started: Component[] = [];
  let stopping: string | undefined;
  void asked.then((reason) => {
    stopping = reason;
    setTimeout(() => {
      log.error({ grace_ms: graceMs }, 'process did not stop in time, killing it');
      process.exit(exitCode === EXIT.done ? EXIT.failed : exitCode);
    }, graceMs).unref();
  });
  try {
    for (const component of [...components, makeIdleMemory({ log })]) {
      if (stopping !== undefined) break;
      started.push(component); // before start: a half-started component is stopped too
      // a start that waits (for the database, say) must not outlive a request to stop
      await Promise.race([component.start(), asked]);
    }
    if (stopping === undefined) await onReady?.();
  } catch (error) {
    fail(error);
  }
  log.info({ reason: await asked }, 'stopping');
  await stopInReverse(started, log);
  clearInterval(keepAlive);
  return exitCode;
};

interface IdleMemorySettings {
  readonly log: Logger;
  readonly lookEveryMs?: number;
}

const LOOK_EVERY_MS = 20_000;
/** Of one core, between two looks: what the loops of a process without work take. */
const IDLE_SHARE = 0.1;
/** A collection takes some 100 ms of processor time, so it has to be worth it. */
const MIN_GARBAGE_BYTES = 8 * 1024 * 1024;
/** What a process has in memory more than when it was trimmed: there was work. */
const MIN_GROWTH_BYTES = 16 * 1024 * 1024;
/** One after the other: threads end a minute after their last work, and what they leave does not show as growth. */
const TRIMS_AFTER_WORK = 5;

type Collect = (options: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

/** V8 has this function for programs that ask for it; a context made after the flag was set has it, however the process was started. */
const exposeCollect = (): Collect => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
};

/** An extension for SQLite whose entry point is a function of the C library. */
const C_LIBRARY = 'libc.so.6';
const TRIM_FUNCTION = 'malloc_trim';

/**
 * Gives the machine back what is free in the middle of the heap of the C library, which returns only what is free at its end by itself:
 * threads that came and went leave up to 120 MB so. Node calls no C functions, but its SQLite calls the entry point of an extension with
 * a pointer, which `malloc_trim` takes for the number of bytes to keep at the end. It answers 1, which SQLite takes for a failure. With
 * another C library than glibc nothing happens. Takes some 10 ms for 100 MB. What it saves: ADR 0013.
 */
const trimMemory = async (): Promise<void> => {
  try {
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(':memory:', { allowExtension: true });
    try {
      database.loadExtension(C_LIBRARY, TRIM_FUNCTION);
    } finally {
      database.close();
    }
  } catch {
    // what SQLite takes for a failure, or a Node without SQLite
  }
};

/**
 * Gives memory back to the machine while the process has nothing to do. V8 collects garbage as new objects are made, so without this
 * an idle process keeps what its start or its last work left behind, a third of its heap. What is free then is trimmed by the next look.
 */
export const makeIdleMemory = ({ log, lookEveryMs = LOOK_EVERY_MS }: IdleMemorySettings): Component => {
  const collect = exposeCollect();
  let keptBytes = 0;
  let trimmedBytes = 0;
  let trims = 0;
  let past = performance.eventLoopUtilization();
  const look = async (): Promise<void> => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, past);
    past = now;
    const { heapUsed, rss } = process.memoryUsage();
    if (utilization > IDLE_SHARE || rss - trimmedBytes >= MIN_GROWTH_BYTES) trims = TRIMS_AFTER_WORK;
    if (utilization > IDLE_SHARE) return;
    if (heapUsed - keptBytes >= MIN_GARBAGE_BYTES) {
      collect({ type: 'major', flavor: 'last-resort' });
      keptBytes = process.memoryUsage().heapUsed;
      log.debug({ freed_bytes: heapUsed - keptBytes, heap_bytes: keptBytes }, 'memory of an idle process collected');
    } else if (trims > 0) {
      trims -= 1;
      await trimMemory();
      trimmedBytes = process.memoryUsage.rss();
      log.debug({ freed_bytes: rss - trimmedBytes, resident_bytes: trimmedBytes }, 'memory of an idle process trimmed');
    }
  };
  return new Loop({
    name: 'idle-memory',
    intervalMs: lookEveryMs,
    log,
    run: look,
  });
};
