import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';

/** Aborted with `message` by the first signal to stop; the second one ends the process at once, which loses nothing either. */
export const stopOnSignals = (message: string): AbortSignal => {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(EXIT.failed);
      stop.abort(new FatalError(message));
    });
  }
  return stop.signal;
};
