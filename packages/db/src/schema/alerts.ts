import { check, pgTable, sql, text, timestamp } from '../drizzle.ts';

/** What is wrong now; a row goes when it is right again. */
export const alerts = pgTable(
  'alerts',
  {
    component: text('component').primaryKey(),
    level: text('level', { enum: ['critical', 'warning', 'info'] }).notNull(),
    message: text('message').notNull(),
    raisedAt: timestamp('raised_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (t) => [check('alerts_level_check', sql`${t.level} in ('critical', 'warning', 'info')`)],
);
export type Alert = typeof alerts.$inferSelect;
