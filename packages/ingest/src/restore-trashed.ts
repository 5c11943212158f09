import { ledgerReason } from '@sheaf/contract/imports';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { lockDocument } from '@sheaf/documents';
import { noteFile, type SeenFile } from './note-file.ts';
import { restoreDocument } from './trash/index.ts';

/** Restores a document, as `file` has brought its bytes again, and notes that in the ledger. Hold the bytes. */
export const restoreTrashed = async (tx: Db, id: string, file: SeenFile): Promise<Document> => {
  await restoreDocument(tx, id);
  await noteFile(tx, file, { state: 'ingested', reason: ledgerReason('restored_from_trash'), documentId: id });
  return lockDocument(tx, id);
};
