import { NOTIFICATION_TYPES } from '@sheaf/vocabulary/notifications';
import { desc, index, jsonb, pgTable, sql, text, uuid } from '../drizzle.ts';
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
