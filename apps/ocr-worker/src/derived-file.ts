import type { Db } from '@sheaf/db';
import { lockStoredBytes, referencedHashes } from '@sheaf/documents';
import type { Storage, StorageSource } from '@sheaf/storage';

/**
 * Keeps what was made from a document, such as its PDF rendition, for a later try and for people. A document that was deleted meanwhile
 * has taken its files with it, and this one must not stay behind: looked at after it is there, so that either the deletion sees it or we
 * see the deletion.
 */
export const keepDerivedFile = async (
  { db, storage }: { readonly db: Db; readonly storage: Storage },
  sha256: string,
  key: string,
  source: StorageSource,
): Promise<void> => {
  await storage.put(key, source);
  if ((await referencedHashes(db, [sha256])).size > 0) return;
  await db.transaction(async (tx) => {
    await lockStoredBytes(tx, sha256, 'alone'); // or it would go from under a document that comes just now
    if ((await referencedHashes(tx, [sha256])).size === 0) await storage.delete(key);
  });
};
