import type { SplitInto } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { and, inArray, ne, sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { SPLIT_FROM } from '@sheaf/vocabulary/documents';

/** The ids of the documents that a document was split into beside itself, as far as there still are such and they say so themselves. */
export const findParts = async (db: Db, id: string, { parts }: SplitInto): Promise<string[]> => {
  const ids = parts.map((part) => part.document_id);
  const rows = await db
    .select({ id: documents.id })
    .from(documents)
    .where(
      and(inArray(documents.id, ids), ne(documents.id, id), sql`${documents.metadata} -> ${SPLIT_FROM}::text ->> 'document_id' = ${id}`),
    )
    .orderBy(documents.id);
  return rows.map((row) => row.id);
};
