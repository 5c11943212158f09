import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type BackupRunEnd,
  claimBackupRun,
  endBackupRun,
  endInterruptedRuns,
  findLastBackupRun,
  listBackupNames,
  type RunMessage,
  type RunProgress,
  renewBackupRun,
  runMessage,
} from '@sheaf/backup/runs';
import { AppError, reasonedError } from '@sheaf/contract';
import { type ComponentHealth, foundProblems, makeProblem, type ServiceProblem } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import { requireRequester } from '@sheaf/db/requester';
import type { BackupRun } from '@sheaf/db/schema';
import { type AlertAudience, clearAlert, notifyAlert, raiseAlert } from '@sheaf/events/notifications';
import { type ChildProgram, type Live, type Logger, lastErrorLine, type ProgramEnd, ProgramLoop, startChildProgram } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { scopeOf } from '@sheaf/vocabulary/permissions';

/** What health and alerts call it. */
export const BACKUPS = 'backups';

/** What is asked for is told: this is for what was missed, and for runs that were interrupted. */
const POLL_MS = 15_000;
const RENEW_MS = 2_000;

/** What requests need, and runs again when they begin. */
const BACKUP_PERMISSION = 'settings.update';

const COMPLETED = { component: BACKUPS, problems: [makeProblem('backup_completed')] };

export interface BackupRunnerDeps {
  readonly db: Db;
  /** Where the backups lie. */
  readonly folder: string;
  readonly audience: Live<AlertAudience>;
  readonly log: Logger;
  /** Tests start something else. */
  readonly start?: StartBackupProgram;
}

/**
 * Makes and verifies the backups that are asked for in the interface, one at a time, each in a process of its own. What it does is in the
 * database, with a lease: when this process dies, the run counts as failed, and the next one continues what lies there.
 */
export class BackupRunner extends ProgramLoop {
  readonly #deps: BackupRunnerDeps;
  #trouble: ServiceProblem | undefined;

  constructor(deps: BackupRunnerDeps) {
    super({ name: BACKUPS, loop: 'backup-runs', intervalMs: POLL_MS, log: deps.log });
    this.#deps = deps;
  }

  override health(): ComponentHealth {
    return this.#trouble === undefined ? super.health() : foundProblems('warning', [this.#trouble]);
  }

  protected async round(signal: AbortSignal): Promise<boolean> {
    const { db } = this.#deps;
    await db.transaction(async (tx) => {
      for (const run of await endInterruptedRuns(tx)) await this.#note(tx, run, { state: 'failed', problem: 'interrupted', error: null });
    });
    await this.#refreshTrouble();
    const run = await claimBackupRun(db);
    if (run === undefined) return false;
    const refusal = await this.#refusalOf(run);
    if (refusal !== undefined) await this.#end(run, { state: 'failed', problem: 'failed', error: refusal.message });
    else if (signal.aborted) await this.#end(run, { state: 'failed', problem: 'interrupted', error: null });
    else await this.#execute(run);
    return true;
  }

  /** Why the requester may not have it run any more; undefined where nothing speaks against it. */
  async #refusalOf(run: BackupRun): Promise<AppError | undefined> {
    try {
      const { permissions } = await requireRequester(this.#deps.db, this.#deps.audience.current().roles, run);
      if (scopeOf(permissions, BACKUP_PERMISSION) === 'all') return undefined;
      return reasonedError('FORBIDDEN', 'requester_permission_lost', { permission: BACKUP_PERMISSION });
    } catch (error) {
      if (error instanceof AppError && error.kind === 'FORBIDDEN') return error;
      throw error;
    }
  }

  /** A backup that was made since, also by the command line, ends the trouble. */
  async #refreshTrouble(): Promise<void> {
    const { db, folder, audience } = this.#deps;
    const last = await findLastBackupRun(db, 'backup');
    if (last?.state !== 'failed') {
      if (last?.state !== 'queued' && last?.state !== 'running') this.#trouble = undefined;
      return;
    }
    const newest = (await listBackupNames(folder).catch(() => [])).find(({ isComplete }) => isComplete);
    if (newest !== undefined && newest.createdAt > last.createdAt) {
      this.#trouble = undefined;
      await db.transaction((tx) => clearAlert(tx, audience.current(), COMPLETED));
      return;
    }
    this.#trouble = troubleOf({ state: 'failed', problem: last.problem ?? 'failed', error: last.error });
  }

  async #execute(run: BackupRun): Promise<void> {
    const { folder, log, start = startBackupProgram } = this.#deps;
    const args = run.backupName === null ? [] : ['verify', join(folder, run.backupName), '--fast'];
    let progress: RunProgress | undefined;
    let result: RunResult | undefined;
    const onMessage = (message: RunMessage): void => {
      if (message.type !== 'progress') result = message;
      else {
        const { type: _, ...rest } = message;
        progress = rest;
      }
    };
    const program = start(args, onMessage, log);
    log.info({ run_id: run.id, kind: run.kind, backup: run.backupName }, 'backup run started');
    const renewing = setInterval(() => void this.#renew(run, progress, program), RENEW_MS);
    try {
      await this.#end(run, runEndOf(await this.waitFor(program), result, run.backupName));
    } finally {
      clearInterval(renewing);
    }
  }

  async #renew(run: BackupRun, progress: RunProgress | undefined, program: ChildProgram): Promise<void> {
    try {
      if (!(await renewBackupRun(this.#deps.db, run, progress))) program.stop();
    } catch (error) {
      this.#deps.log.debug({ err: error, run_id: run.id }, 'lease of backup run not renewed');
    }
  }

  async #end(run: BackupRun, end: BackupRunEnd): Promise<void> {
    await this.#deps.db.transaction(async (tx) => {
      if (await endBackupRun(tx, run, end)) await this.#note(tx, run, end);
    });
  }

  /** Tells of a failed backup until one is made, and of a damaged one once: the list of backups shows it. */
  async #note(tx: Db, run: BackupRun, end: BackupRunEnd): Promise<void> {
    const { log } = this.#deps;
    const audience = this.#deps.audience.current();
    const fields = { run_id: run.id, kind: run.kind, ...end };
    if (end.state === 'failed') {
      log.warn(fields, 'backup run failed');
      if (run.kind === 'backup') await raiseAlert(tx, audience, { component: BACKUPS, level: 'warning', problems: [troubleOf(end)] });
      return;
    }
    log.info(fields, 'backup run completed');
    if (run.kind === 'backup') await clearAlert(tx, audience, COMPLETED);
    else if (end.finding === 'damaged')
      await notifyAlert(tx, audience, 'critical', {
        component: BACKUPS,
        problems: [makeProblem('backup_damaged', { name: end.backupName, error: end.error })],
      });
  }
}

/** Why a backup failed, for health and alerts. */
const troubleOf = ({ problem, error }: Extract<BackupRunEnd, { state: 'failed' }>): ServiceProblem =>
  makeProblem('backup_failed', { problem, error: error?.replace(/\.$/, '') });

const PROGRAM = fileURLToPath(new URL('../../../cli/src/backup.ts', import.meta.url));

type StartBackupProgram = (args: readonly string[], onMessage: (message: RunMessage) => void, log: Logger) => ChildProgram;

/**
 * Starts `sheaf backup` with the configuration of this process. It stops by itself when this process is gone, and what it left in
 * BACKUP_PATH is continued by the next backup.
 */
const startBackupProgram: StartBackupProgram = (args, onMessage, log) =>
  startChildProgram(PROGRAM, args, {
    onMessage: (message) => {
      const parsed = runMessage.safeParse(message);
      if (parsed.success) onMessage(parsed.data);
      else log.warn({ err: parsed.error }, 'unknown message from backup process');
    },
  });

/** What the program told at its end, if it came to one. */
type RunResult = Extract<RunMessage, { type: 'backed_up' | 'verified' }>;

/** How a run ended, by what its program said and how that ended. */
const runEndOf = ({ exitCode, signal, stderr }: ProgramEnd, result: RunResult | undefined, backupName: string | null): BackupRunEnd => {
  if (result?.type === 'backed_up') return { state: 'completed', backupName: result.name, finding: null, error: null };
  if (result?.type === 'verified' && backupName !== null)
    return { state: 'completed', backupName, finding: result.differences === 0 ? 'ok' : 'damaged', error: result.first };
  if (signal !== null) return { state: 'failed', problem: 'interrupted', error: null };
  const problem = exitCode === EXIT.replicaRuns ? 'busy' : 'failed';
  return { state: 'failed', problem, error: lastErrorLine(stderr, 'sheaf backup') };
};
