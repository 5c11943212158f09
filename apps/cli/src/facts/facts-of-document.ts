import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { type FactFinder, type FiledChanges, holdSenders, previewFacts, storeFacts } from '@sheaf/document-facts';
import { lockDocumentAndJob } from '@sheaf/documents';
import { recordEvent } from '@sheaf/events';

/** What came of one document: what changed of it, or that it was processed or deleted meanwhile. */
export type FactsOutcome = { readonly changes: FiledChanges; readonly facts: number } | 'skipped';

/** Finds the facts of a completed document in its text and stores them; only says what would change where `isDryRun`. */
export const findFactsAgain = async (db: Db, finder: FactFinder, document: Document, isDryRun: boolean): Promise<FactsOutcome> => {
  const found = await finder.find(document);
  const facts = found.candidates.length;
  return db.transaction(async (tx) => {
    await holdSenders(tx, document.id, found);
    const now = await lockDocumentAndJob(tx, document.id);
    // its worker has found those of the new text, or will
    if (now?.status !== 'completed' || now.completedAt?.getTime() !== document.completedAt?.getTime()) return 'skipped';
    if (isDryRun) return { facts, changes: await previewFacts(tx, document.id, found) };
    const changes = await storeFacts(tx, document.id, found);
    if (Object.keys(changes).length > 0)
      await recordEvent(tx, { type: 'document_updated', document_id: document.id, changes: { ...changes } }, document.ownerId);
    return { facts, changes };
  });
};
