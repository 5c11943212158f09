import type { ServiceProblem } from '@sheaf/contract/operations';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { Component } from './component.ts';
import { makeIdleMemory } from './idle-memory.ts';
import type { Logger } from './log.ts';
import { errorText } from './log-errors.ts';

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
