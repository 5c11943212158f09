import { INGEST_ROUTES, LEDGER_STATES } from '@sheaf/vocabulary/documents';
import { JOB_STATUSES } from '@sheaf/vocabulary/jobs';
import { LEDGER_REASON_CODES, type LedgerReasonDetails } from '@sheaf/vocabulary/ledger-reasons';
import { bigint, boolean, check, desc, index, integer, jsonb, pgTable, smallint, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { belongsTo, createdAt, refersTo, timestamptz, updatedAt } from './columns.ts';
import { documents } from './documents.ts';
import { sources } from './sources.ts';
import { users } from './users.ts';

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

/** Files of watch folders and sources whose bytes are being inspected, or were when a process crashed. */
export const importAttempts = pgTable(
  'import_attempts',
  {
    id: uuid('id').primaryKey(),
    route: text('route', { enum: INGEST_ROUTES }).notNull(),
    path: text('path').notNull(),
    sourceId: uuid('source_id').references(() => sources.id, { onDelete: 'cascade' }),
    ownerId: belongsTo('owner_id', () => users.id),
    etag: text('etag'),
    sizeBytes: bigint('size_bytes', { mode: 'number' }),
    modifiedAt: timestamptz('modified_at'),
    /** Null for a suspect that waits to be inspected alone. */
    startedAt: timestamptz('started_at'),
    /** How often a process crashed that inspected this file and nothing else. */
    crashes: integer('crashes').notNull().default(0),
    updatedAt: updatedAt(),
  },
  (t) => [
    uniqueIndex('import_attempts_route_path_key').on(t.route, t.path).where(sql`${t.sourceId} is null`),
    uniqueIndex('import_attempts_source_path_key').on(t.sourceId, t.path).where(sql`${t.sourceId} is not null`),
  ],
);
export type ImportAttempt = typeof importAttempts.$inferSelect;

/** What happened to each file seen on any route, and why. */
export const ingestLedger = pgTable(
  'ingest_ledger',
  {
    id: uuid('id').primaryKey(),
    route: text('route', { enum: INGEST_ROUTES }).notNull(),
    path: text('path').notNull(),
    ownerId: uuid('owner_id').references(() => users.id, { onDelete: 'cascade' }),
    sourceId: uuid('source_id'),
    sizeBytes: bigint('size_bytes', { mode: 'number' }),
    modifiedAt: timestamptz('modified_at'),
    sha256: text('sha256'),
    state: text('state', { enum: LEDGER_STATES }).notNull(),
    reason: text('reason'),
    reasonCode: text('reason_code', { enum: LEDGER_REASON_CODES }),
    reasonDetails: jsonb('reason_details').$type<LedgerReasonDetails>(),
    documentId: refersTo('document_id', () => documents.id),
    movedTo: text('moved_to'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    uniqueIndex('ingest_ledger_route_path_key').on(t.route, t.path).where(sql`${t.route} in ('watch', 'user_watch')`),
    uniqueIndex('ingest_ledger_source_path_key').on(t.sourceId, t.path).where(sql`${t.sourceId} is not null`),
    index('ingest_ledger_updated_at_idx').on(t.updatedAt, t.id),
    index('ingest_ledger_owner_idx').on(t.ownerId, t.updatedAt, t.id),
    index('ingest_ledger_sha256_idx').on(t.sha256).where(sql`${t.sha256} is not null`),
    index('ingest_ledger_route_state_idx').on(t.route, t.state),
    index('ingest_ledger_document_id_idx').on(t.documentId).where(sql`${t.documentId} is not null`),
  ],
);
export type LedgerEntry = typeof ingestLedger.$inferSelect;
