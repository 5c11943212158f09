import { recordAudit } from '@sheaf/accounts/users';
import { isBackupRunning, listBackupNames, type NamedBackup, requestBackupRun } from '@sheaf/backup/runs';
import type { FixedConfig } from '@sheaf/config';
import { codedError } from '@sheaf/contract';
import { type BackupRunBody, backupBody, backupListQuery, backupName, backupOverview, backupRunBody } from '@sheaf/contract/operations';
import type { Database, Db } from '@sheaf/db';
import { requesterOf } from '@sheaf/db/requester';
import type { AuditAction } from '@sheaf/vocabulary/audit-actions';
import { z } from 'zod';
import type { Actor } from '../http/actor.ts';
import type { Cursors } from '../http/cursor.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { shortListRoute } from '../http/short-list.ts';
import { toBackupRunBody } from './backup-body.ts';
import { backupFolderProblem } from './backup-folder.ts';
import { readBackupBodies, readBackups } from './backup-list.ts';

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
