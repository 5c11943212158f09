import { fileURLToPath } from 'node:url';
import { type BackupRunEnd, type RunMessage, runMessage } from '@sheaf/backup/runs';
import { type ChildProgram, type Logger, lastErrorLine, type ProgramEnd, startChildProgram } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';

const PROGRAM = fileURLToPath(new URL('../../../cli/src/backup.ts', import.meta.url));

export type StartBackupProgram = (args: readonly string[], onMessage: (message: RunMessage) => void, log: Logger) => ChildProgram;

/**
 * Starts `sheaf backup` with the configuration of this process. It stops by itself when this process is gone, and what it left in
 * BACKUP_PATH is continued by the next backup.
 */
export const startBackupProgram: StartBackupProgram = (args, onMessage, log) =>
  startChildProgram(PROGRAM, args, {
    onMessage: (message) => {
      const parsed = runMessage.safeParse(message);
      if (parsed.success) onMessage(parsed.data);
      else log.warn({ err: parsed.error }, 'unknown message from backup process');
    },
  });

/** What the program told at its end, if it came to one. */
export type RunResult = Extract<RunMessage, { type: 'backed_up' | 'verified' }>;

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
  const problem = exitCode === EXIT.replicaRuns ? 'busy' : 'failed';
  return { state: 'failed', problem, error: lastErrorLine(stderr, 'sheaf backup') };
};
