import {
  findLastBackupRun,
  findVerifications,
  isBackupRunning,
  listBackupNames,
  type NamedBackup,
  readListedBackup,
} from '@sheaf/backup/runs';
import type { BackupBody } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import { toBackupBody, toBackupRunBody } from './backup-body.ts';
import { backupFolderProblem } from './backup-folder.ts';

interface BackupPlace {
  readonly db: Db;
  readonly folder: string;
}

/** What lies in the folder, and what runs. Nothing is listed where the folder cannot be read. */
export const readBackups = async ({ db, folder }: BackupPlace) => {
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
export const readBackupBodies = async (
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
