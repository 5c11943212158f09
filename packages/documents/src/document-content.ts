import type { Db } from '@sheaf/db';
import { eq, sql } from '@sheaf/db/drizzle';
import { type Document, documents } from '@sheaf/db/schema';

/** The document, locked with its job until the end of the transaction; undefined where it is gone. */
export const lockDocumentAndJob = async (tx: Db, id: string): Promise<Document | undefined> => {
  // The job first, as its reader takes them: the other way round the two could wait for each other.
  await tx.execute(sql`select 1 from ocr_jobs where document_id = ${id} for no key update`);
  return (await tx.select().from(documents).where(eq(documents.id, id)).for('update'))[0];
};

/** Whether the document is also what came by another way than from `path` of the source: an upload, a watched file, another path. */
export const hasOtherOrigin = async (tx: Db, documentId: string, sourceId: string, path: string): Promise<boolean> => {
  const { rows } = await tx.execute(sql`
    select from ingest_ledger
    where document_id = ${documentId} and state in ('ingested', 'split', 'duplicate')
      and (source_id is distinct from ${sourceId} or path <> ${path}) limit 1`);
  return rows.length > 0;
};
