import { bigint, index, jsonb, pgTable, text, timestamp, uuid } from '../drizzle.ts';

/** Written in the transaction that makes the event true. `ownerId` is the owner of its subject, for visibility. */
export const events = pgTable(
  'events',
  {
    seq: bigint('seq', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    type: text('type').notNull(),
    ownerId: uuid('owner_id'),
    documentId: uuid('document_id'),
    data: jsonb('data').$type<Record<string, unknown>>().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (t) => [index('events_created_at_idx').on(t.createdAt)],
);
