import type { Db } from '@sheaf/db';
import { isHashReferenced, lockStoredBytes } from '@sheaf/documents';
import type { Storage, StorageSource } from '@sheaf/storage';

/** A file that was made from a document, and where it is kept. */
interface DerivedFile {
  readonly key: string;
  readonly source: StorageSource;
}

/**
 * Keeps what was made from a document, such as its PDF rendition, for a later try and for people. A document that was deleted meanwhile
 * has taken its files with it, and these must not stay behind: looked at after they are there, so that either the deletion sees them or we
 * see the deletion.
 */
export const keepDerivedFiles = async (
  { db, storage }: { readonly db: Db; readonly storage: Storage },
  sha256: string,
  files: readonly DerivedFile[],
): Promise<void> => {
  if (files.length === 0) return;
  await Promise.all(files.map(({ key, source }) => storage.put(key, source)));
  if (await isHashReferenced(db, sha256)) return;
  await db.transaction(async (tx) => {
    await lockStoredBytes(tx, sha256, 'alone'); // or they would go from under a document that comes just now
    if (await isHashReferenced(tx, sha256)) return;
    for (const { key } of files) await storage.delete(key);
  });
};
