import { type AnyPgColumn, index, integer, pgTable, text, timestamp, uuid } from '../drizzle.ts';

/** A moment. No column of this schema leaves the time zone open. */
export const timestamptz = (name: string) => timestamp(name, { withTimezone: true });

/** When the row was inserted. */
export const createdAt = () => timestamptz('created_at').notNull().defaultNow();

/** When the row was changed, or inserted where it never was. */
export const updatedAt = () => timestamptz('updated_at').notNull().defaultNow();

/** The row that this one is a part of: it is deleted with that one. */
export const belongsTo = (name: string, id: () => AnyPgColumn) => uuid(name).notNull().references(id, { onDelete: 'cascade' });

/** A row that this one names: it stays, and names none, once that one is deleted. */
export const refersTo = (name: string, id: () => AnyPgColumn) => uuid(name).references(id, { onDelete: 'set null' });

/** How much each subject of a rate limit has done in its window, over all api processes. The table is unlogged. */
export const rateLimitCounts = pgTable(
  'rate_limit_counts',
  {
    subject: text('subject').primaryKey(),
    points: integer('points').notNull(),
    endsAt: timestamptz('ends_at').notNull(),
  },
  (t) => [index('rate_limit_counts_ends_at_idx').on(t.endsAt)],
);
