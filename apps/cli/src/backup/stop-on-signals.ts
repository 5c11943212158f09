import { makeProblem } from '@sheaf/contract/operations';
import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { onParentExit } from '../parent-process.ts';

type InterruptedCode = 'backup_interrupted' | 'backup_verification_interrupted' | 'restore_interrupted';

/**
 * Aborted with the problem `code` by the first signal to stop, and when the process is gone that has started this one; the second
 * signal ends the process at once, which loses nothing either.
 */
export const stopOnSignals = (code: InterruptedCode): AbortSignal => {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort(new FatalError(makeProblem(code)));
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(EXIT.failed);
      interrupt();
    });
  }
  onParentExit(interrupt);
  return stop.signal;
};
