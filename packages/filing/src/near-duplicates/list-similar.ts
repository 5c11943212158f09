import { type Db, readingReach, within } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { Principal } from '@sheaf/vocabulary/permissions';

/** More near-duplicates of one document are not listed. */
const LIMIT = 50;

/** A near-duplicate of a document, and the share of their words and numbers that both have, 0 to 1. */
export interface SimilarDocument {
  readonly documentId: string;
  readonly similarity: number;
}

/** The near-duplicates of a document that `principal` may read, but for those that were dismissed, the most similar first. */
export const listSimilar = async (db: Db, principal: Principal, documentId: string): Promise<SimilarDocument[]> => {
  const { rows } = await db.execute<{ id: string; similarity: number }>(sql`
    select documents.id, pair.similarity from (
      select other_id as id, similarity from near_duplicates where document_id = ${documentId} and not is_dismissed
      union all select document_id, similarity from near_duplicates where other_id = ${documentId} and not is_dismissed
    ) as pair join documents on documents.id = pair.id
    where ${within(readingReach(principal), sql<string>`documents.owner_id`)}
    order by pair.similarity desc, documents.id limit ${LIMIT}`);
  return rows.map(({ id, similarity }) => ({ documentId: id, similarity }));
};

/** Remembers that two documents are no duplicates, in whatever order they are named. Pass the transaction that holds both. */
export const dismissSimilar = async (tx: Db, one: string, other: string): Promise<void> => {
  await tx.execute(sql`
    insert into near_duplicates (document_id, other_id, similarity, is_dismissed)
    values (least(${one}::uuid, ${other}::uuid), greatest(${one}::uuid, ${other}::uuid), 0, true)
    on conflict (document_id, other_id) do update set is_dismissed = true`);
};
