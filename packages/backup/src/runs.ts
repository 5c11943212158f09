export { type ListedBackup, listBackupNames, type NamedBackup, readListedBackup } from './backup-list.ts';
export {
  type BackupRunEnd,
  type BackupVerification,
  claimBackupRun,
  deleteBackupRunsBefore,
  endBackupRun,
  endInterruptedRuns,
  findLastBackupRun,
  findVerifications,
  isBackupRunning,
  type RunMessage,
  type RunProgress,
  renewBackupRun,
  requestBackupRun,
  runMessage,
} from './backup-runs.ts';
export type { BackupReport } from './load-database.ts';
