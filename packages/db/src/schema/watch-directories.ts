import { pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { createdAt, refersTo } from './columns.ts';
import { users } from './users.ts';

/** The directory of each user under the base of the watch directories. */
export const watchDirectories = pgTable(
  'watch_directories',
  {
    id: uuid('id').primaryKey(),
    userId: refersTo('user_id', () => users.id),
    name: text('name').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('watch_directories_user_id_key').on(t.userId).where(sql`${t.userId} is not null`),
    uniqueIndex('watch_directories_name_key').on(sql`lower(${t.name})`),
  ],
);
export type WatchDirectory = typeof watchDirectories.$inferSelect;
