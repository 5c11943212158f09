import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeProblem } from '@sheaf/contract/operations';
import { FatalError, type Logger } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { findServerPid, findStarter, isLockStale, lockedBy, untilGone } from './process-table.ts';

/** The guard of a killed starter ends the server as soon as the clients have left; most are gone in a moment. */
const CLIENTS_LIMIT_MS = 2_000;
const FAST_LIMIT_MS = 20_000;
const IMMEDIATE_LIMIT_MS = 5_000;

const signalIfAlive = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

const stopByPid = async (pid: number, dataPath: string): Promise<void> => {
  for (const [signal, limitMs] of [
    ['SIGINT', FAST_LIMIT_MS],
    ['SIGQUIT', IMMEDIATE_LIMIT_MS],
  ] as const) {
    signalIfAlive(pid, signal);
    if (await untilGone(pid, limitMs)) return;
  }
  throw new FatalError(makeProblem('embedded_database_not_stopping', { path: dataPath, pid: String(pid) }), EXIT.replicaRuns);
};

export const inUse = (dataPath: string, starter: number | undefined): FatalError =>
  new FatalError(makeProblem('embedded_database_in_use', { path: dataPath, pid: starter?.toString() }), EXIT.replicaRuns);

/**
 * Makes sure that no server runs on the data directory: one whose starter was killed is stopped, one whose starter
 * lives is an error.
 */
export const clearTheWay = async (dataPath: string, log: Logger): Promise<void> => {
  const pid = findServerPid(dataPath);
  if (pid !== undefined) {
    const starter = findStarter(pid);
    if (starter !== undefined) throw inUse(dataPath, starter);
    log.info({ postgres_pid: pid }, 'stopping orphaned database server');
    if (!(await untilGone(pid, CLIENTS_LIMIT_MS))) await stopByPid(pid, dataPath);
  } else if (isLockStale(dataPath)) {
    log.info({ pid: lockedBy(dataPath) }, 'removing stale lock file of the database server');
    rmSync(join(dataPath, 'postmaster.pid'), { force: true });
  }
};
