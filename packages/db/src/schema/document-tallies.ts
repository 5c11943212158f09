import { bigint, date, integer, pgTable, text, unique, uuid } from '../drizzle.ts';

/** How many documents there are, but for what still waits in `documentTallyDeltas`. */
export const documentTallies = pgTable(
  'document_tallies',
  {
    /** Documents with this label; null: all documents. */
    labelId: uuid('label_id'),
    /** The first day of a month in UTC; null: all months. */
    month: date('month'),
    ownerId: uuid('owner_id').notNull(),
    status: text('status').notNull(),
    sourceId: uuid('source_id'),
    documents: integer('documents').notNull(),
  },
  (t) => [unique('document_tallies_key').on(t.labelId, t.month, t.ownerId, t.status, t.sourceId).nullsNotDistinct()],
);

/** What triggers append for each document and each label that comes, changes or goes. */
export const documentTallyDeltas = pgTable('document_tally_deltas', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  labelId: uuid('label_id'),
  month: date('month').notNull(),
  ownerId: uuid('owner_id').notNull(),
  status: text('status').notNull(),
  sourceId: uuid('source_id'),
  documents: integer('documents').notNull(),
});
