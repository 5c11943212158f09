import { index, integer, pgTable, text, timestamp } from '../drizzle.ts';

/** How much each subject of a rate limit has done in its window, over all api processes. The table is unlogged. */
export const rateLimitCounts = pgTable(
  'rate_limit_counts',
  {
    subject: text('subject').primaryKey(),
    points: integer('points').notNull(),
    endsAt: timestamp('ends_at', { withTimezone: true }).notNull(),
  },
  (t) => [index('rate_limit_counts_ends_at_idx').on(t.endsAt)],
);
