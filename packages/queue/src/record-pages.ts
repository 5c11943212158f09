import type { Db } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import type { PageFields } from '@sheaf/documents/pages';
import { CHANNELS } from '@sheaf/vocabulary/events';
import { type ClaimedJob, LeaseLost } from './ocr-jobs.ts';

export interface ReadPages {
  readonly pages: readonly PageFields[];
  /** Pages that are done with these, of all. */
  readonly done: number;
  readonly total: number;
  /** What the owner is told, in percent. */
  readonly steps: readonly number[];
}

/** A column of a list of rows, as `unnest` takes it. */
const column = <Row>(rows: readonly Row[], valueOf: (row: Row) => unknown): SQL => sql`${sql.param(rows.map(valueOf))}`;

/**
 * Records pages, a page that is there already in its place, with the progress of the job and its events. One statement, which is its own
 * transaction: each of a document costs as much as the insert of a page. Throws LeaseLost, with nothing written, when the job is someone else's.
 */
export const recordPages = async (
  db: Db,
  { id, documentId, fence, worker }: ClaimedJob,
  ownerId: string,
  { pages, done, total, steps }: ReadPages,
): Promise<void> => {
  const { rows } = await db.execute(sql`
    with mine as (
      update ocr_jobs set pages_done = ${done}, pages_total = ${total}
      where id = ${id} and fence = ${fence} and lease_by = ${worker} and status = 'processing' returning document_id
    ), saved as (
      insert into document_pages (document_id, page, content, confidence, origin, error, words, language)
      select mine.document_id, read.* from mine cross join unnest(
        ${column(pages, ({ page }) => page)}::int[], ${column(pages, ({ content }) => content)}::text[],
        ${column(pages, ({ confidence }) => confidence)}::real[], ${column(pages, ({ origin }) => origin)}::text[],
        ${column(pages, ({ error }) => error ?? null)}::text[], ${column(pages, ({ words }) => words ?? null)}::bytea[],
        ${column(pages, ({ language }) => language ?? null)}::text[]) as read
      on conflict (document_id, page) do update set content = excluded.content, confidence = excluded.confidence, origin = excluded.origin,
        error = excluded.error, words = excluded.words, language = excluded.language, is_stale = false
    ), told as (
      insert into events (type, owner_id, document_id, data)
      select 'ocr_progress', ${ownerId}::uuid, mine.document_id,
        jsonb_build_object('document_id', mine.document_id, 'progress', step.percent, 'status', 'processing')
      from mine cross join unnest(${sql.param([...steps])}::int[]) with ordinality as step (percent, place) order by step.place
      returning pg_notify('${sql.raw(CHANNELS.events)}', '')
    )
    select (select count(*) from told) from mine`);
  if (rows.length === 0) throw new LeaseLost(`The lease of job ${id} of document ${documentId} expired`);
};
