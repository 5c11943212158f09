import { readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { waitFor } from '@sheaf/process';
import { processStart, processStat } from '@sheaf/process/machine';

/** The name under which the guard stands in the process list, before the identity of its starter. */
export const GUARD_NAME = 'sheaf-postgres-guard';

const unlessGone = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined; // the process ended, or belongs to somebody else
  }
};

const isRunning = (pid: number): boolean => {
  const state = processStat(pid)?.[0];
  return state !== undefined && state !== 'Z' && state !== 'X';
};

export const untilGone = async (pid: number, limitMs: number): Promise<boolean> => {
  try {
    return await waitFor(() => !isRunning(pid), { description: `process ${pid} to end`, limitMs });
  } catch {
    return false;
  }
};

/** The pid in the lock file of a data directory, whether that process lives or not. */
export const lockedBy = (dataPath: string): number | undefined => {
  const pid = Number(unlessGone(() => readFileSync(join(dataPath, 'postmaster.pid'), 'utf8'))?.split('\n')[0]);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
};

/** The pid of the server that really runs on this data directory. A server works inside its directory. */
export const findServerPid = (dataPath: string): number | undefined => {
  const pid = lockedBy(dataPath);
  if (pid === undefined || !isRunning(pid)) return undefined;
  const program = unlessGone(() => readlinkSync(`/proc/${pid}/exe`)) ?? '';
  const folder = unlessGone(() => readlinkSync(`/proc/${pid}/cwd`));
  return folder === dataPath && basename(program.replace(' (deleted)', '')) === 'postgres' ? pid : undefined;
};

/**
 * The pid of the lock file is taken, by another process or by the server's own remains that nobody has collected yet.
 * PostgreSQL itself would refuse to start: it only asks whether the pid can be signalled.
 */
export const isLockStale = (dataPath: string): boolean => {
  const pid = lockedBy(dataPath);
  return pid !== undefined && processStat(pid) !== undefined && findServerPid(dataPath) === undefined;
};

/** The living process that started the server `pid` through a guard, or undefined when it is gone. */
export const findStarter = (pid: number): number | undefined => {
  const guard = Number(processStat(pid)?.[1]);
  const argv = unlessGone(() => readFileSync(`/proc/${guard}/cmdline`, 'utf8').split('\0')) ?? [];
  const at = argv.indexOf(GUARD_NAME);
  const starter = Number(argv[at + 1]);
  return at >= 0 && isRunning(starter) && processStart(starter) === argv[at + 2] ? starter : undefined;
};
