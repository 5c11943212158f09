import { createHash } from 'node:crypto';
import { readSmallFile } from './entry-file.ts';
import { MANIFEST, MANIFEST_HASH } from './entry-layout.ts';
import { backupDamaged, notABackup } from './errors.ts';
import { type BackupManifest, backupManifest } from './manifest.ts';

const MAX_MANIFEST_BYTES = 64 * 1024 ** 2;

/** What the backup in the directory `folder` says of itself. Throws NOT_A_BACKUP or BACKUP_DAMAGED. */
export const readEntryManifest = (folder: string): Promise<BackupManifest> => readManifest(folder, folder);

/** The manifest of the entry in `folder`; `path` is its name for people. */
export const readManifest = async (path: string, folder: string): Promise<BackupManifest> => {
  const bytes = await readSmallFile(folder, MANIFEST, MAX_MANIFEST_BYTES).catch((error: unknown) => {
    throw notABackup(path, `it has no ${MANIFEST}`, error);
  });
  const hash = (await readSmallFile(folder, MANIFEST_HASH, 1_024)).toString('utf8').split(' ')[0];
  if (hash !== createHash('sha256').update(bytes).digest('hex'))
    throw backupDamaged(`the hash of ${MANIFEST} does not match ${MANIFEST_HASH}`);
  const parsed = backupManifest.safeParse(parseJson(path, bytes));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw notABackup(path, `its manifest format is not supported (${issue?.path.join('.')}: ${issue?.message}); use a newer Sheaf`);
};

const parseJson = (path: string, bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw notABackup(path, `its ${MANIFEST} is not JSON`, error);
  }
};
