import { INGEST_ROUTES, LEDGER_STATES } from '@sheaf/vocabulary/documents';
import { LEDGER_REASON_CODES, type LedgerReasonDetails } from '@sheaf/vocabulary/ledger-reasons';
import { bigint, index, jsonb, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { createdAt, refersTo, timestamptz, updatedAt } from './columns.ts';
import { documents } from './documents.ts';
import { users } from './users.ts';

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
