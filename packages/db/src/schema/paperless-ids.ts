import { integer, pgTable, text, unique, uuid } from '../drizzle.ts';

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
