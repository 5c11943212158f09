import type { Db } from '@sheaf/db';
import { documentsFor } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { nextNumbers } from '@sheaf/documents/unique-fields';
import type { Principal } from '@sheaf/vocabulary/permissions';

/** How many documents have something. */
export interface Counted extends Record<string, unknown> {
  readonly id: string;
  readonly documents: number;
}

/** What the documents of a selection have, each with the number of those that have it. */
export interface SelectionCounts {
  readonly tags: readonly Counted[];
  readonly correspondents: readonly Counted[];
  readonly documentTypes: readonly Counted[];
  readonly customFields: readonly Counted[];
}

/** Whoever calls it has found that the documents may be read. */
export const countSelection = async (db: Db, documentIds: readonly string[]): Promise<SelectionCounts> => {
  const isChosen = (column: SQL): SQL => sql`${column} = any(${sql.param([...documentIds])}::uuid[])`;
  const count = async (of: SQL, from: SQL, which: SQL): Promise<Counted[]> =>
    (
      await db.execute<Counted>(
        sql`select ${of} as id, count(*)::int as documents from ${from} where ${which} and ${of} is not null group by 1`,
      )
    ).rows;
  const [tags, correspondents, documentTypes, customFields] = await Promise.all([
    count(sql`label_id`, sql`document_labels`, isChosen(sql`document_id`)),
    count(sql`correspondent_id`, sql`documents`, isChosen(sql`id`)),
    count(sql`document_type_id`, sql`documents`, isChosen(sql`id`)),
    count(sql`field_id`, sql`document_fields`, isChosen(sql`document_id`)),
  ]);
  return { tags, correspondents, documentTypes, customFields };
};

export interface LibraryCounts {
  readonly documents: number;
  readonly mimeTypes: readonly { readonly mimeType: string; readonly documents: number }[];
  /** The highest archive number in use; undefined where there is none. */
  readonly currentAsn: number | undefined;
}

/** Of the documents that `principal` may read. */
export const countLibrary = async (db: Db, principal: Principal): Promise<LibraryCounts> => {
  const { rows } = await db.execute<{ mimeType: string; documents: number; highest: number | null }>(sql`
    select mime_type as "mimeType", count(*)::int as documents, max(archive_number) as highest from documents
    where ${documentsFor(principal, 'documents.read')} group by mime_type order by documents desc, mime_type limit 100`);
  const numbers = rows.flatMap(({ highest }) => (highest === null ? [] : [highest]));
  return {
    documents: rows.reduce((sum, { documents }) => sum + documents, 0),
    mimeTypes: rows.map(({ mimeType, documents }) => ({ mimeType, documents })),
    currentAsn: numbers.length === 0 ? undefined : Math.max(...numbers),
  };
};

/** The number after the highest one of the documents that `principal` may read. */
export const nextAsn = async (db: Db, principal: Principal): Promise<number> => (await nextNumbers(db, principal)).archive_number;
