import { jsonb, pgTable, text, timestamp, uuid } from '../drizzle.ts';
import { users } from './users.ts';

/** What is set while the service runs and is the same for every process. */
export const settings = pgTable('settings', {
  key: text('key').primaryKey(),
  value: jsonb('value').notNull(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  updatedBy: uuid('updated_by').references(() => users.id, { onDelete: 'set null' }),
});
