import { INGEST_ROUTES } from '@sheaf/vocabulary/documents';
import { bigint, integer, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { belongsTo, timestamptz, updatedAt } from './columns.ts';
import { sources } from './sources.ts';
import { users } from './users.ts';

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
