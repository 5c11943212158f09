import {
  BACKUP_FINDINGS,
  BACKUP_NAME,
  BACKUP_PROBLEMS,
  BACKUP_RUN_KINDS,
  BACKUP_RUN_STATES,
  BACKUP_STATES,
} from '@sheaf/vocabulary/backups';
import { BACKUP_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { pageQuery, sortQuery } from '../page.ts';

const bytes = z.int().nonnegative();

export const storageBody = z
  .strictObject({
    type: z.enum(['local', 's3', 'azure']).describe('Storage of new documents'),
    places: z.array(z.string()).describe('Folders and buckets with documents; new ones are stored in the first'),
    documents: z.int().nonnegative(),
    documents_bytes: bytes.describe('Size of the original files'),
    disks: z
      .array(
        z.strictObject({
          path: z.string(),
          uses: z.array(z.enum(['documents', 'temporary_files', 'data', 'backups'])).describe('What is stored on the disk'),
          size: bytes,
          free: bytes,
          usage: z.number().min(0).max(100).describe('In percent'),
          is_above_threshold: z.boolean(),
        }),
      )
      .describe('Local disks of the api'),
    warning_threshold: z.number().min(0).max(100).describe('DISK_WARNING_THRESHOLD in percent'),
    backups_share_disk: z.boolean().describe('Whether backups are on the same disk as the documents'),
  })
  .meta({ id: 'StorageReport' });
export type StorageBody = z.infer<typeof storageBody>;

const count = z.int().nonnegative();

/** Nothing but the name of a backup: it becomes part of a path. */
export const backupName = z.string().regex(BACKUP_NAME);

export const backupListQuery = pageQuery.extend(sortQuery(BACKUP_SORT_FIELDS, { sort: 'created_at', order: 'desc' }));

export const backupBody = z
  .strictObject({
    name: z.string().describe('Name in BACKUP_PATH'),
    created_at: z.iso.datetime(),
    state: z.enum(BACKUP_STATES).describe('`failed`: begun and not completed; the next backup continues it'),
    size: count.nullable().describe('Bytes of the files, previews and database in it, or of an archive. Backups share equal files'),
    documents: count.nullable().describe('Number of documents; null for an archive'),
    missing_files: count.describe('Stored files that were missing or damaged when the backup was made'),
    has_secrets: z.boolean().nullable(),
    verification: z.enum(BACKUP_FINDINGS).nullable().describe('Result of the last verification requested here'),
    verified_at: z.iso.datetime().nullable(),
    error: z.string().nullable().describe('What is damaged'),
  })
  .meta({ id: 'Backup' });
export type BackupBody = z.infer<typeof backupBody>;

export const backupRunBody = z
  .strictObject({
    id: z.uuid(),
    kind: z.enum(BACKUP_RUN_KINDS),
    state: z.enum(BACKUP_RUN_STATES),
    backup_name: z.string().nullable().describe('The verified backup, or the completed one'),
    progress: z.number().min(0).max(1).nullable().describe('Of the current phase; null where its size is unknown'),
    phase: z.string().nullable().describe('database, files, previews, finishing or checksums'),
    files: count.describe('Processed files of the phase'),
    total_files: count.nullable(),
    bytes: count,
    total_bytes: count.nullable(),
    finding: z.enum(BACKUP_FINDINGS).nullable(),
    problem: z
      .enum(BACKUP_PROBLEMS)
      .nullable()
      .describe('Why it failed: `interrupted`, `busy` (another backup or restore was running), or `failed`'),
    error: z.string().nullable(),
    created_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    finished_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'BackupRun' });
export type BackupRunBody = z.infer<typeof backupRunBody>;

/** What stands beside the list of backups. */
export const backupOverview = {
  path: z.string().describe('BACKUP_PATH'),
  path_problem: z.string().nullable().describe('Why no backup can be written to BACKUP_PATH'),
  is_running: z.boolean().describe('Whether a backup or restore runs, also one of the command line'),
  last_backup: backupRunBody.nullable().describe('The newest backup requested here'),
  last_verification: backupRunBody.nullable().describe('The newest verification requested here'),
};
