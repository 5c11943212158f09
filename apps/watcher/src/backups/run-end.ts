import type { BackupRunEnd, RunMessage } from '@sheaf/backup/runs';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import type { ProgramEnd } from './backup-program.ts';

/** What the program told at its end, if it came to one. */
export type RunResult = Extract<RunMessage, { type: 'backed_up' | 'verified' }>;

/** The lines of its standard error begin with the name of the program. */
const reasonIn = (stderr: string): string | null => {
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return last === '' ? null : last.replace(/^sheaf backup: /, '');
};

/** How a run ended, by what its program said and how that ended. */
export const runEndOf = (
  { exitCode, signal, stderr }: ProgramEnd,
  result: RunResult | undefined,
  backupName: string | null,
): BackupRunEnd => {
  if (result?.type === 'backed_up') return { state: 'completed', backupName: result.name, finding: null, error: null };
  if (result?.type === 'verified' && backupName !== null)
    return { state: 'completed', backupName, finding: result.differences === 0 ? 'ok' : 'damaged', error: result.first };
  if (signal !== null) return { state: 'failed', problem: 'interrupted', error: null };
  if (exitCode === EXIT.replicaRuns) return { state: 'failed', problem: 'busy', error: reasonIn(stderr) };
  return { state: 'failed', problem: 'failed', error: reasonIn(stderr) };
};
