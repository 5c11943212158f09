import { index, integer, pgTable, text } from '../drizzle.ts';
import { timestamptz } from './columns.ts';

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
