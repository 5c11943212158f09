import { AppError } from '@sheaf/contract';

/** What lies at `path` is no backup that this version can read. */
export const notABackup = (path: string, reason: string, cause?: unknown): AppError =>
  new AppError('VALIDATION_ERROR', `${path} is not a readable backup: ${reason}`, { code: 'NOT_A_BACKUP', cause });

/** A file of the backup is not what the backup itself says of it. */
export const backupDamaged = (message: string, cause?: unknown): AppError =>
  new AppError('VALIDATION_ERROR', `The backup is damaged: ${message}. Use another backup.`, { code: 'BACKUP_DAMAGED', cause });
