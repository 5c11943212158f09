import { storableJson, storableText } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { and, eq, sql } from '@sheaf/db/drizzle';
import { ingestLedger } from '@sheaf/db/schema';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';

/** Adds to what the import log says of the file that a document was imported from. An imported library has no such entry. */
export const noteDocument = async (tx: Db, documentId: string, reason: LedgerReason): Promise<void> => {
  await tx
    .update(ingestLedger)
    .set({
      reason: storableText(reason.message),
      reasonCode: reason.code,
      reasonDetails: storableJson(reason.details),
      updatedAt: sql`now()`,
    })
    .where(and(eq(ingestLedger.documentId, documentId), eq(ingestLedger.state, 'ingested')));
};
