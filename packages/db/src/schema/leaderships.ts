import { bigint, pgTable, text } from '../drizzle.ts';
import { timestamptz } from './columns.ts';

/** Which term the processes work in of which one works at a time. See Leadership. */
export const leaderships = pgTable('leaderships', {
  name: text('name').primaryKey(),
  term: bigint('term', { mode: 'number' }).notNull(),
  takenAt: timestamptz('taken_at').notNull().defaultNow(),
});
