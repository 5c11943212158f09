import { AppError } from '@sheaf/contract';
import { z } from 'zod';

/** What lies at `path` is no backup that this version can read. */
export const notABackup = (path: string, reason: string, cause?: unknown): AppError =>
  new AppError('VALIDATION_ERROR', `${path} is not a readable backup: ${reason}`, { code: 'NOT_A_BACKUP', cause });

/** A file of the backup is not what the backup itself says of it. */
export const backupDamaged = (message: string, cause?: unknown): AppError =>
  new AppError('VALIDATION_ERROR', `The backup is damaged: ${message}. Use another backup.`, { code: 'BACKUP_DAMAGED', cause });

/** What this version writes and reads. */
export const BACKUP_FORMAT = 1;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const identifier = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/);
const count = z.int().min(0);

const tableBody = z.object({
  name: identifier,
  /** In the order in which they stand in the lines. Generated ones are not among them. */
  columns: z.array(identifier).min(1),
  rows: count,
  /** Of the text that COPY gives, before it is compressed; so is the hash. */
  bytes: count,
  sha256,
});

const sequenceBody = z.object({
  name: identifier,
  /** A bigint. */
  last_value: z.string().regex(/^-?\d{1,20}$/),
  is_called: z.boolean(),
});

const missingFileBody = z.object({
  sha256,
  document_ids: z.array(z.string()),
  /** `unreadable`: the storage has it, and cannot give it. */
  reason: z.enum(['missing', 'changed', 'unreadable']),
});

const listedFilesBody = z.object({ count, bytes: count, list_sha256: sha256 });

const configurationFileBody = z.object({
  name: z.enum(['effective.json', 'service.yml', 'roles.yml', 'secrets.json']),
  bytes: count,
  sha256,
});

/** What stands in `manifest.json`. */
export const backupManifest = z.object({
  format: z.literal(BACKUP_FORMAT),
  service_version: z.string(),
  schema_version: count,
  /** Of the snapshot of the database. */
  created_at: z.iso.datetime(),
  database: z.object({
    tables: z.array(tableBody),
    sequences: z.array(sequenceBody),
    /** Tables that are not kept, and why. */
    omitted: z.array(z.object({ name: identifier, reason: z.string() })),
  }),
  /** The originals. `missing`: those that documents refer to and nobody has any more. */
  files: listedFilesBody.extend({ missing: z.array(missingFileBody) }),
  /** The PDF renditions of office documents. */
  previews: listedFilesBody,
  configuration: z.object({ has_secrets: z.boolean(), files: z.array(configurationFileBody) }),
});

export type BackupManifest = z.infer<typeof backupManifest>;
export type BackupTable = z.infer<typeof tableBody>;
export type MissingFile = z.infer<typeof missingFileBody>;
export type ConfigurationFileName = z.infer<typeof configurationFileBody>['name'];
export type ConfigurationFile = z.infer<typeof configurationFileBody>;
export type ListedFiles = z.infer<typeof listedFilesBody>;
