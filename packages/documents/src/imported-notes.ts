import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { documentNotes } from '@sheaf/db/schema';

/** A note from another system. */
export interface ImportedNote {
  readonly id: string;
  readonly documentId: string;
  /** Null where the account is not here. */
  readonly authorId: string | null;
  readonly text: string;
  readonly createdAt: Date;
}

/** Those of the documents that are here, with their owners and how many notes they have, locked until the end of the transaction. */
export const lockImported = async (
  tx: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { readonly ownerId: string; readonly notesCount: number; readonly isSettled: boolean }>> => {
  const { rows } = await tx.execute<{ id: string; owner_id: string; notes_count: number; status: string }>(sql`
    select id, owner_id, notes_count, status from documents where id = any(${sql.param([...ids])}::uuid[]) order by id for no key update`);
  return new Map(
    rows.map((row) => [
      row.id,
      { ownerId: row.owner_id, notesCount: row.notes_count, isSettled: row.status === 'completed' || row.status === 'failed' },
    ]),
  );
};

/** Adds notes with their authors and times to documents that are locked; the search entries of these are the caller's to write. */
export const addImportedNotes = async (tx: Db, notes: readonly ImportedNote[]): Promise<void> => {
  if (notes.length === 0) return;
  await tx.insert(documentNotes).values([...notes]);
  await tx.execute(sql`
    update documents set notes_count = notes_count + more.notes
    from (
      select id, count(*)::int as notes from unnest(${sql.param(notes.map(({ documentId }) => documentId))}::uuid[]) as id group by id) as more
    where documents.id = more.id`);
};
