import { findSetupError, isDatabaseUnavailable } from '@sheaf/db';
import { backoffMs, type Component, type Logger, sleep } from '@sheaf/process';

const RETRY = { baseMs: 100, maxMs: 2_000 };

/**
 * What `action` gives once the database answers; undefined when `signal` is aborted before. A database that is away or slow to connect
 * is waited for. Throws what is another failure, and a FatalError where no waiting mends it: a wrong password, say.
 */
export const waitForDatabase = async <T>(action: () => Promise<T>, log: Logger, signal: AbortSignal): Promise<T | undefined> => {
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      const refusal = findSetupError(error);
      if (refusal !== undefined) throw refusal;
      log.warn({ err: error }, 'waiting for the database');
      await sleep(backoffMs(attempt, RETRY), signal);
    }
  }
  return undefined;
};

/** The component, whose start is repeated while the database does not answer: a busy machine is slow to connect. */
export const startingWithDatabase = (component: Component, log: Logger): Component => {
  const abort = new AbortController();
  return {
    name: component.name,
    start: () => waitForDatabase(() => component.start(), log, abort.signal),
    stop: () => {
      abort.abort();
      return component.stop();
    },
    ...(component.health === undefined ? {} : { health: () => component.health?.() ?? { status: 'healthy' } }),
  };
};
