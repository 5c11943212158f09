import { integer, jsonb, pgTable, text, unique, uuid } from '../drizzle.ts';
import { updatedAt } from './columns.ts';
import { users } from './users.ts';

/**
 * The integers that the Paperless-compatible API has for our ids. No number is ever given to a second object, so the row of one that was deleted
 * may stay.
 */
export const paperlessIds = pgTable(
  'paperless_ids',
  {
    number: integer('number').primaryKey().generatedAlwaysAsIdentity(),
    kind: text('kind').notNull(),
    objectId: uuid('object_id').notNull(),
  },
  (t) => [unique('paperless_ids_object_key').on(t.objectId, t.kind)],
);

/** What apps of Paperless-ngx store for a user, whatever it is. */
export const paperlessUiSettings = pgTable('paperless_ui_settings', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  content: jsonb('content').$type<Readonly<Record<string, unknown>>>().notNull(),
  updatedAt: updatedAt(),
});
