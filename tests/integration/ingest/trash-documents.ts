import type { Db } from '@sheaf/db';
import { findSelected } from '@sheaf/documents';
import { moveToTrash } from '@sheaf/ingest/trash';
import type { Principal } from '@sheaf/vocabulary/permissions';

const EVERYTHING: Principal = { userId: '', username: '', role: 'admin', permissions: ['*'], via: 'token' };

/** Moves documents to the trash, as who may do everything. */
export const trashDocuments = (db: Db, ids: readonly string[]): Promise<void> =>
  db.transaction(async (tx) =>
    moveToTrash(tx, await findSelected(tx, EVERYTHING, 'documents.delete', { ids }, ids.length), { reason: 'deleted' }),
  );
