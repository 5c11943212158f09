import { bigint, pgTable, text, timestamp } from '../drizzle.ts';

/** Which term the processes work in of which one works at a time. See Leadership. */
export const leaderships = pgTable('leaderships', {
  name: text('name').primaryKey(),
  term: bigint('term', { mode: 'number' }).notNull(),
  takenAt: timestamp('taken_at', { withTimezone: true }).notNull().defaultNow(),
});
