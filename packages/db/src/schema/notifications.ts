import { NOTIFICATION_TYPES } from '@sheaf/vocabulary/notifications';
import { check, desc, index, jsonb, pgTable, sql, text, uuid } from '../drizzle.ts';
import { belongsTo, createdAt, timestamptz } from './columns.ts';
import { users } from './users.ts';

/** What a user is told. */
export const notifications = pgTable(
  'notifications',
  {
    id: uuid('id').primaryKey(),
    userId: belongsTo('user_id', () => users.id),
    type: text('type', { enum: NOTIFICATION_TYPES }).notNull(),
    title: text('title').notNull(),
    message: text('message').notNull(),
    data: jsonb('data').$type<Record<string, unknown>>().notNull().default({}),
    readAt: timestamptz('read_at'),
    createdAt: createdAt(),
  },
  (t) => [
    index('notifications_user_id_idx').on(t.userId, desc(t.createdAt), t.id),
    index('notifications_unread_idx').on(t.userId).where(sql`${t.readAt} is null`),
  ],
);
export type Notification = typeof notifications.$inferSelect;

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
