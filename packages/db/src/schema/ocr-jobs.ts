import { JOB_STATUSES } from '@sheaf/vocabulary/jobs';
import { bigint, boolean, check, desc, index, integer, pgTable, smallint, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { createdAt, timestamptz } from './columns.ts';
import { documents } from './documents.ts';

export const ocrJobs = pgTable(
  'ocr_jobs',
  {
    id: uuid('id').primaryKey(),
    documentId: uuid('document_id')
      .notNull()
      .unique()
      .references(() => documents.id, { onDelete: 'cascade' }),
    status: text('status', { enum: JOB_STATUSES }).notNull().default('pending'),
    priority: smallint('priority').notNull().default(10),
    attempts: integer('attempts').notNull().default(0),
    maxAttempts: integer('max_attempts').notNull(),
    dueAt: timestamptz('due_at').notNull().defaultNow(),
    leaseBy: text('lease_by'),
    leaseUntil: timestamptz('lease_until'),
    fence: bigint('fence', { mode: 'number' }).notNull().default(0),
    pagesDone: integer('pages_done').notNull().default(0),
    pagesTotal: integer('pages_total'),
    errorCode: text('error_code'),
    errorMessage: text('error_message'),
    createdAt: createdAt(),
    startedAt: timestamptz('started_at'),
    completedAt: timestamptz('completed_at'),
    claimedAt: timestamptz('claimed_at'),
    spentMs: bigint('spent_ms', { mode: 'number' }).notNull().default(0),
    /** The trace that its reading goes on with, as W3C Trace Context writes it. */
    traceContext: text('trace_context'),
    /** Since when its file is open, or about to be; null while it waits, also for its turn in a worker that has claimed it. */
    processingSince: timestamptz('processing_since'),
    /** What a host has to recognise to take it; auto: nothing. Set by triggers. */
    ocrLanguage: text('ocr_language').notNull().default('auto'),
    /** How often a worker died that processed this document and nothing else. */
    crashes: integer('crashes').notNull().default(0),
    /** It was being processed when a worker died, and is processed alone until it completes. */
    isSuspect: boolean('is_suspect').notNull().default(false),
  },
  (t) => [
    check('ocr_jobs_processing_has_lease', sql`(${t.status} = 'processing') = (${t.leaseBy} is not null and ${t.leaseUntil} is not null)`),
    check('ocr_jobs_trace_context_length', sql`length(${t.traceContext}) = 55`),
    index('ocr_jobs_due_idx').on(desc(t.priority), t.dueAt, t.id).where(sql`${t.status} = 'pending'`),
    index('ocr_jobs_language_due_idx').on(t.ocrLanguage, desc(t.priority), t.dueAt, t.id).where(sql`${t.status} = 'pending'`),
    index('ocr_jobs_lease_idx').on(t.leaseUntil).where(sql`${t.status} = 'processing'`),
    uniqueIndex('ocr_jobs_one_suspect_key').on(t.isSuspect).where(sql`${t.status} = 'processing' and ${t.isSuspect}`),
    // The migration has it include what figures are made of.
    index('ocr_jobs_ended_idx').on(t.status, t.completedAt).where(sql`${t.completedAt} is not null`),
  ],
);
export type OcrJob = typeof ocrJobs.$inferSelect;
