import { access, constants, stat } from 'node:fs/promises';
import { recordAudit } from '@sheaf/accounts/users';
import {
  type BackupVerification,
  findLastBackupRun,
  findVerifications,
  isBackupRunning,
  type ListedBackup,
  listBackupNames,
  type NamedBackup,
  readListedBackup,
  requestBackupRun,
} from '@sheaf/backup/runs';
import type { FixedConfig } from '@sheaf/config';
import { codedError, errorCode } from '@sheaf/contract';
import {
  type BackupBody,
  type BackupRunBody,
  backupBody,
  backupListQuery,
  backupName,
  backupOverview,
  backupRunBody,
} from '@sheaf/contract/operations';
import type { Database, Db } from '@sheaf/db';
import { requesterOf } from '@sheaf/db/requester';
import type { BackupRun } from '@sheaf/db/schema';
import { nearestFolder } from '@sheaf/process/machine';
import type { AuditAction } from '@sheaf/vocabulary/audit-actions';
import { z } from 'zod';
import type { Actor } from '../http/authenticate.ts';
import { type Cursors, shortListRoute } from '../http/list-route.ts';
import { jsonRoute, type Route } from '../http/route.ts';

interface BackupServices {
  readonly config: Pick<FixedConfig, 'storage'>;
  readonly database: Database;
  readonly cursors: Cursors;
}

const placeOf = ({ config, database }: BackupServices) => ({ db: database.db, folder: config.storage.backupPath });

/** The one that grows while a backup runs: what was begun last. */
const runningIn = (names: readonly NamedBackup[], isRunning: boolean): string | undefined =>
  isRunning ? names.find(({ isComplete }) => !isComplete)?.name : undefined;

const list = (services: BackupServices): Route =>
  shortListRoute({
    cursors: services.cursors,
    path: '/api/backups',
    access: 'system.read',
    summary: 'List the backups in BACKUP_PATH, newest first',
    description:
      'Includes backups of the command line. Requested backups and verifications run in the background; `last_backup` and `last_verification` have their progress and result.',
    query: backupListQuery,
    name: 'data',
    item: backupBody,
    more: backupOverview,
    key: 'name',
    rows: async () => {
      const { names, overview } = await readBackups(placeOf(services));
      return { rows: await readBackupBodies(placeOf(services), names, runningIn(names, overview.is_running)), ...overview };
    },
  });

interface RunRequest {
  readonly kind: 'backup' | 'verification';
  /** What is verified. */
  readonly backupName: string | null;
  readonly action: AuditAction;
}

/** Queues a run, with its entry in the audit log. */
const requestRun = (db: Db, { principal, address }: Actor, { kind, backupName: name, action }: RunRequest): Promise<BackupRunBody> =>
  db.transaction(async (tx) => {
    const run = await requestBackupRun(tx, { kind, backupName: name, ...requesterOf(principal) });
    await recordAudit(tx, {
      actor: principal,
      address,
      action,
      outcome: 'success',
      subject: { type: 'backup_run', id: run.id },
      details: name === null ? {} : { backup_name: name },
    });
    return toBackupRunBody(run);
  });

const request = (services: BackupServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/backups',
    access: 'settings.update',
    summary: 'Start a backup',
    description:
      'The same as `bin/sheaf backup`: database, files and configuration, without secrets. It runs in the background; see `last_backup` of GET /api/backups. While a backup or restore runs, also one of the command line, returns 409.',
    errors: { BACKUP_RUNNING: 'DUPLICATE_RESOURCE', BACKUP_PATH_UNUSABLE: 'SERVICE_UNAVAILABLE' },
    status: 202,
    response: backupRunBody,
    handle: async ({ principal, context: { address } }) => {
      const { db, folder } = placeOf(services);
      const problem = await backupFolderProblem(folder);
      if (problem !== undefined) throw codedError('SERVICE_UNAVAILABLE', 'BACKUP_PATH_UNUSABLE', { path: folder, problem });
      if (await isBackupRunning(db)) throw codedError('DUPLICATE_RESOURCE', 'BACKUP_RUNNING', {});
      return requestRun(db, { principal, address }, { kind: 'backup', backupName: null, action: 'backup.requested' });
    },
  });

const verify = (services: BackupServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/backups/{name}/verify',
    access: 'settings.update',
    summary: 'Verify a backup',
    description:
      'The same as `bin/sheaf backup verify --fast`: reads all files of the backup and compares their SHA-256. It runs in the background; see `last_verification` of GET /api/backups. While a verification runs, returns 409.',
    errors: { BACKUP_NOT_FOUND: 'NOT_FOUND', BACKUP_RUNNING: 'DUPLICATE_RESOURCE' },
    params: z.strictObject({ name: backupName }),
    status: 202,
    response: backupRunBody,
    handle: async ({ params: { name }, principal, context: { address } }) => {
      const { db, folder } = placeOf(services);
      const names = await listBackupNames(folder).catch(() => []);
      if (!names.some((named) => named.name === name && named.isComplete)) throw codedError('NOT_FOUND', 'BACKUP_NOT_FOUND', { name });
      return requestRun(db, { principal, address }, { kind: 'verification', backupName: name, action: 'backup.verification_requested' });
    },
  });

export const backupRoutes = (services: BackupServices): readonly Route[] => [list(services), request(services), verify(services)];

interface BackupPlace {
  readonly db: Db;
  readonly folder: string;
}

/** What lies in the folder, and what runs. Nothing is listed where the folder cannot be read. */
const readBackups = async ({ db, folder }: BackupPlace) => {
  const [problem, names, isLocked, backup, verification] = await Promise.all([
    backupFolderProblem(folder),
    listBackupNames(folder).catch(() => []),
    isBackupRunning(db),
    findLastBackupRun(db, 'backup'),
    findLastBackupRun(db, 'verification'),
  ]);
  const isRunning = isLocked || backup?.state === 'queued' || backup?.state === 'running';
  return {
    names,
    overview: {
      path: folder,
      path_problem: problem ?? null,
      is_running: isRunning,
      last_backup: backup === undefined ? null : toBackupRunBody(backup),
      last_verification: verification === undefined ? null : toBackupRunBody(verification),
    },
  };
};

/** The backups of these names, as they are on disk and were verified; the newest begun one runs where `isRunning`. */
const readBackupBodies = async (
  { db, folder }: BackupPlace,
  names: readonly NamedBackup[],
  runningName: string | undefined,
): Promise<BackupBody[]> => {
  const verifications = await findVerifications(
    db,
    names.map(({ name }) => name),
  );
  const bodies: BackupBody[] = [];
  // one after the other: each has a manifest to read, and no more than one is in memory
  for (const named of names) {
    const backup = await readListedBackup(folder, named);
    if (backup === undefined) continue;
    const body = toBackupBody(backup, verifications.get(named.name));
    bodies.push(named.name === runningName ? { ...body, state: 'running' } : body);
  }
  return bodies;
};

/** Why no backup can be written to `folder`, which may have to be made first; undefined where one can. */
const backupFolderProblem = async (folder: string): Promise<string | undefined> => {
  const place = await nearestFolder(folder);
  try {
    if (!(await stat(place)).isDirectory()) return `${place} is not a folder`;
    await access(place, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `${place} cannot be written to (${errorCode(error) ?? String(error)})`;
  }
};

const toBackupBody = (backup: ListedBackup, verification: BackupVerification | undefined): BackupBody => ({
  name: backup.name,
  created_at: backup.createdAt.toISOString(),
  state: backup.state === 'complete' && verification?.finding === 'damaged' ? 'damaged' : backup.state,
  size: backup.sizeBytes ?? null,
  documents: backup.documents ?? null,
  missing_files: backup.missingFiles,
  has_secrets: backup.hasSecrets ?? null,
  verification: verification?.finding ?? null,
  verified_at: verification?.verifiedAt.toISOString() ?? null,
  error: backup.error ?? verification?.error ?? null,
});

const progressOf = ({ files, totalFiles, bytes, totalBytes }: BackupRun): number | null => {
  if (totalFiles === null || totalBytes === null) return null;
  const [done, all] = totalBytes > 0 ? [bytes, totalBytes] : [files, totalFiles];
  return all === 0 ? 1 : Math.min(1, done / all);
};

const toBackupRunBody = (run: BackupRun): BackupRunBody => ({
  id: run.id,
  kind: run.kind,
  state: run.state,
  backup_name: run.backupName,
  progress: run.state === 'completed' ? 1 : progressOf(run),
  phase: run.phase,
  files: run.files,
  total_files: run.totalFiles,
  bytes: run.bytes,
  total_bytes: run.totalBytes,
  finding: run.finding,
  problem: run.problem,
  error: run.error,
  created_at: run.createdAt.toISOString(),
  started_at: run.startedAt?.toISOString() ?? null,
  finished_at: run.finishedAt?.toISOString() ?? null,
});
