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
  renewBackupRun,
  requestBackupRun,
} from './backup-runs.ts';
export type { BackupReport } from './report.ts';
export { type RunMessage, type RunProgress, runMessage } from './run-message.ts';
