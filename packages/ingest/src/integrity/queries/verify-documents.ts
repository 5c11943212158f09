import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';

/** Completed documents that have the same content, and so share what was derived from them. */
export interface CompletedBytes {
  readonly sha256: string;
  readonly documentIds: readonly string[];
}

/** The bytes of completed documents of these types in the order of their hashes, `limit` at most, from behind `after`. */
export const listCompletedBytes = async (db: Db, mimeTypes: readonly string[], after: string, limit: number): Promise<CompletedBytes[]> => {
  const { rows } = await db.execute<{ sha256: string; ids: string[] }>(sql`
    select sha256, array_agg(id::text order by id) as ids from documents
    where status = 'completed' and mime_type = any(${sql.param([...mimeTypes])}::text[]) and sha256 > ${after}
    group by sha256 order by sha256 limit ${limit}`);
  return rows.map(({ sha256, ids }) => ({ sha256, documentIds: ids }));
};

/** A document that says another number of pages than it has, or lacks some between its first and its last. */
export interface PageGap {
  readonly documentId: string;
  readonly sha256: string;
  readonly pageCount: number | undefined;
  readonly pages: number;
  readonly lastPage: number;
}

export interface PageGaps {
  readonly gaps: readonly PageGap[];
  /** How many documents were looked at, and from behind which one to go on; undefined at the end. */
  readonly looked: number;
  readonly next: string | undefined;
}

/** Looks at the pages of `limit` completed documents, in the order of their ids from behind `after`. */
export const findPageGaps = async (db: Db, after: string | undefined, limit: number): Promise<PageGaps> => {
  const { rows } = await db.execute<{ id: string; sha256: string; page_count: number | null; pages: number; last_page: number }>(sql`
    select id, sha256, page_count, pages, last_page
    from (
      select id, sha256, page_count from documents
      where status = 'completed' and ${after === undefined ? sql`true` : sql`id > ${after}`} order by id limit ${limit}
    ) as looked_at
    cross join lateral (
      select count(*)::int as pages, coalesce(max(page), 0) as last_page from document_pages where document_id = looked_at.id and not is_stale
    ) as counted
    order by id`);
  const gaps = rows.filter((row) => row.page_count !== row.pages || row.last_page !== row.pages);
  return {
    gaps: gaps.map((row) => ({
      documentId: row.id,
      sha256: row.sha256,
      pageCount: row.page_count ?? undefined,
      pages: row.pages,
      lastPage: row.last_page,
    })),
    looked: rows.length,
    next: rows.length < limit ? undefined : rows.at(-1)?.id,
  };
};

/** How many documents have been read to their end. */
export const countCompleted = async (db: Db): Promise<number> =>
  (await db.execute<{ documents: number }>(sql`select count(*)::int as documents from documents where status = 'completed'`)).rows[0]
    ?.documents ?? 0;
