import { makeProblem } from '@sheaf/contract/operations';
import { type Component, FatalError, type Logger } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { type ChildProcessLife, startChildProcess } from './child-process.ts';
import type { Reaper } from './reaper.ts';
import { describeEnding } from './restart-policy.ts';

export interface MigrationSettings {
  readonly command: readonly [string, ...string[]];
  readonly environment: () => Readonly<Record<string, string | undefined>>;
  readonly reaper: Reaper;
  readonly log: Logger;
}

/** Brings the schema up to date before any child sees the database. */
export const makeMigration = ({ command, environment, reaper, log }: MigrationSettings): Component => {
  let life: ChildProcessLife | undefined;
  return {
    name: 'migration',
    start: async () => {
      life ??= startChildProcess({ command, environment: environment(), reaper, log });
      const ending = await life.ended;
      if (ending.code === EXIT.done) return;
      const exitCode = ending.code === EXIT.configuration ? EXIT.configuration : EXIT.failed;
      throw new FatalError(makeProblem('migration_failed', { ending: describeEnding(ending) }), exitCode);
    },
    stop: async () => {
      life?.terminate();
      await life?.ended;
    },
  };
};
