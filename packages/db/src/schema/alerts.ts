import { check, pgTable, sql, text } from '../drizzle.ts';
import { timestamptz } from './columns.ts';

/** What is wrong now; a row goes when it is right again. */
export const alerts = pgTable(
  'alerts',
  {
    component: text('component').primaryKey(),
    level: text('level', { enum: ['critical', 'warning', 'info'] }).notNull(),
    message: text('message').notNull(),
    raisedAt: timestamptz('raised_at').notNull().defaultNow(),
  },
  (t) => [check('alerts_level_check', sql`${t.level} in ('critical', 'warning', 'info')`)],
);
export type Alert = typeof alerts.$inferSelect;
