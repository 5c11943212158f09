import { INGEST_ROUTES } from '@sheaf/vocabulary/documents';
import { bigint, integer, pgTable, sql, text, timestamp, uniqueIndex, uuid } from '../drizzle.ts';
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
    ownerId: uuid('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    etag: text('etag'),
    sizeBytes: bigint('size_bytes', { mode: 'number' }),
    modifiedAt: timestamp('modified_at', { withTimezone: true }),
    /** Null for a suspect that waits to be inspected alone. */
    startedAt: timestamp('started_at', { withTimezone: true }),
    /** How often a process crashed that inspected this file and nothing else. */
    crashes: integer('crashes').notNull().default(0),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('import_attempts_route_path_key').on(t.route, t.path).where(sql`${t.sourceId} is null`),
    uniqueIndex('import_attempts_source_path_key').on(t.sourceId, t.path).where(sql`${t.sourceId} is not null`),
  ],
);
export type ImportAttempt = typeof importAttempts.$inferSelect;
