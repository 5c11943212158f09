import type { Db } from '@sheaf/db';
import { and, eq, inArray, type SQL, sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { markPagesStale, type PageFields } from '@sheaf/documents/pages';
import { englishMessage } from '@sheaf/messages/english';
import { DOCUMENT_STATUSES, type DocumentStatus, NEXT_DOCUMENT_STATUS } from '@sheaf/vocabulary/documents';
import { CHANNELS } from '@sheaf/vocabulary/events';
import type { FailureReason } from '@sheaf/vocabulary/extraction-failures';
import type { JobPriority } from '@sheaf/vocabulary/jobs';
import { type ClaimedJob, enqueueJobs, LeaseLost } from './ocr-jobs.ts';

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

export interface ReadingResult {
  readonly pageCount: number;
  readonly confidence: number | null;
  readonly excerpt: string;
  readonly language: string | undefined;
  readonly missingLanguage: string | undefined;
  readonly needsAttention: boolean;
  readonly isSigned?: boolean | undefined;
}

/** A status that `next` may follow: the contract's table of transitions, as a predicate. */
const mayPrecede = (next: DocumentStatus): SQL => {
  const before = DOCUMENT_STATUSES.filter((status) => (NEXT_DOCUMENT_STATUS[status] as readonly DocumentStatus[]).includes(next));
  return inArray(documents.status, before);
};

/** The document, if its status is one that `next` may follow. */
const mayBecome = (documentId: string, next: DocumentStatus): SQL | undefined => and(eq(documents.id, documentId), mayPrecede(next));

/** What is written of a document with its reading, so that its row is written once. */
export interface AlsoCompleted {
  readonly set?: Parameters<ReturnType<typeof updateDocuments>['set']>[0];
  /** What the statement returns, for what that does. */
  readonly returned?: Readonly<Record<string, SQL>>;
}

const updateDocuments = (tx: Db) => tx.update(documents);

/** Returns the language of the document; undefined where it is not being processed, and nothing was written. */
export const markCompleted = async (
  tx: Db,
  documentId: string,
  result: ReadingResult,
  { set = {}, returned = {} }: AlsoCompleted = {},
): Promise<string | undefined> => {
  const [row] = await tx
    .update(documents)
    .set({
      status: 'completed',
      errorCode: null,
      errorMessage: null,
      pageCount: result.pageCount,
      ocrConfidence: result.confidence,
      contentExcerpt: result.excerpt,
      language: result.language ?? null,
      missingLanguage: result.missingLanguage ?? null,
      needsAttention: result.needsAttention,
      isSigned: result.isSigned ?? false,
      completedAt: sql`now()`,
      updatedAt: sql`now()`,
      ...set,
    })
    .where(mayBecome(documentId, 'completed'))
    .returning({ ...returned, language: sql<string>`coalesce(${documents.language}, ${documents.ocrLanguage})` });
  return row?.language;
};

/** Ends a document as failed; returns the reason in words, the usual ones where none are given. */
export const markFailed = async (
  tx: Db,
  documentId: string,
  code: FailureReason,
  message: string = englishMessage(`failures.${code}`),
): Promise<string> => {
  await tx
    .update(documents)
    .set({ status: 'failed', errorCode: code, errorMessage: message, updatedAt: sql`now()` })
    .where(mayBecome(documentId, 'failed'));
  return message;
};

/** Back to the queue: a retry, or a duplicate of a document that had failed. */
export const markPending = async (tx: Db, documentId: string): Promise<void> => {
  await tx
    .update(documents)
    .set({ status: 'pending', errorCode: null, errorMessage: null, updatedAt: sql`now()` })
    .where(mayBecome(documentId, 'pending'));
};

export interface ReadingOrder {
  readonly maxAttempts: number;
  readonly priority?: JobPriority | undefined;
  /** What they are read in from now on; each in its own language where none is given. */
  readonly language?: string | undefined;
  /** Whether pages whose text was edited keep it; by default they are processed as the others, as of another file. */
  readonly keepsEdited?: boolean | undefined;
}

/**
 * Queues documents, whose rows and jobs the caller has locked, to be read again from their first page. Their text stays until
 * the new one is there.
 */
export const queueReading = async (tx: Db, documentIds: readonly string[], order: ReadingOrder): Promise<void> => {
  const { language, priority = 'normal', maxAttempts, keepsEdited = false } = order;
  const areThese = sql`${documents.id} = any(${sql.param([...documentIds])}::uuid[])`;
  await markPagesStale(tx, documentIds, { keepsEdited });
  if (language !== undefined) await tx.update(documents).set({ ocrLanguage: language }).where(areThese);
  await tx
    .update(documents)
    .set({ status: 'pending', isTaskAcknowledged: false, errorCode: null, errorMessage: null, updatedAt: sql`now()` })
    .where(and(areThese, mayPrecede('pending')));
  await enqueueJobs(tx, documentIds, { maxAttempts, priority });
};
