import { jsonb, pgTable, text } from '../drizzle.ts';
import { refersTo, updatedAt } from './columns.ts';
import { users } from './users.ts';

/** What is set while the service runs and is the same for every process. */
export const settings = pgTable('settings', {
  key: text('key').primaryKey(),
  value: jsonb('value').notNull(),
  updatedAt: updatedAt(),
  updatedBy: refersTo('updated_by', () => users.id),
});
