import type { BackupVerification, ListedBackup } from '@sheaf/backup/runs';
import type { BackupBody, BackupRunBody } from '@sheaf/contract/operations';
import type { BackupRun } from '@sheaf/db/schema';

export const toBackupBody = (backup: ListedBackup, verification: BackupVerification | undefined): BackupBody => ({
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

export const toBackupRunBody = (run: BackupRun): BackupRunBody => ({
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
