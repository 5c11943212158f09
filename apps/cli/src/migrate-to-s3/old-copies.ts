import { holdOffBackup, lockStoredBytes } from '@sheaf/documents';
import { lockRowsOfBytes, type MovablePlace } from '@sheaf/ingest/integrity';
import { documentKey } from '@sheaf/storage';
import { listDerived, listMissingDerived } from './derived-files.ts';
import type { Side, Transfer } from './transfer.ts';

/** What became of an old copy: `kept` while its document is read or a backup runs, `left` where it is, or may be, still needed. */
export type OldCopyFate = 'removed' | 'kept' | 'left';

/** Programs read a local file by its path, page after page; a copy of a remote one is their own. */
const mayBeOpen = (place: MovablePlace): boolean => place === 'local';

const removeFiles = async ({ storage }: Side, sha256: string, withOriginal: boolean): Promise<void> => {
  for (const { key } of await listDerived(storage, sha256)) await storage.delete(key);
  // last: where it is, the next run finds what is left of the others
  if (withOriginal) await storage.delete(documentKey(sha256));
};

/**
 * Removes the source's copies of bytes that are all at the target, under the lock of those who make rows for them: each has
 * committed before us, and we see its row, or finds the object gone. With `withOriginal` the caller has read the target's one.
 */
export const removeOldCopies = ({ db, source, target, ...rest }: Transfer, sha256: string, withOriginal: boolean): Promise<OldCopyFate> =>
  db.transaction(async (tx) => {
    await lockStoredBytes(tx, sha256, 'alone');
    const rows = await lockRowsOfBytes(tx, sha256);
    const path = target.storage.pathOf(documentKey(sha256));
    // Without any row it is the sweep that decides, which sets an original aside.
    if (rows.length === 0 || rows.some(({ filePath }) => filePath !== path)) return 'left';
    if (!(await holdOffBackup(tx))) return 'kept';
    if (mayBeOpen(source.place) && rows.some(({ isProcessing }) => isProcessing)) return 'kept';
    if ((await target.storage.stat(documentKey(sha256))) === undefined) return 'left';
    if ((await listMissingDerived({ db, source, target, ...rest }, sha256)).length > 0) return 'left';
    await removeFiles(source, sha256, withOriginal);
    return 'removed';
  });
