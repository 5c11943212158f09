import { documentNotFound } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { referencedHashes } from '@sheaf/documents';
import { removeStoredBytes } from '@sheaf/ingest';
import type { Storage, StorageSource } from '@sheaf/storage';

/**
 * Keeps what was made. A document that was deleted while it was made has taken its files with it, and this one must not stay
 * behind: looked at after it is there, so that either the deletion sees it or we see the deletion. Throws DOCUMENT_NOT_FOUND.
 */
export const keepRendition = async (
  { db, storage }: { readonly db: Db; readonly storage: Storage },
  { id, sha256 }: Pick<Document, 'id' | 'sha256'>,
  key: string,
  made: StorageSource,
): Promise<void> => {
  await storage.put(key, made);
  if ((await referencedHashes(db, [sha256])).size > 0) return;
  await removeStoredBytes({ db, storage }, sha256);
  throw documentNotFound(id);
};
