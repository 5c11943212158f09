import { bigint, index, jsonb, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { createdAt } from './columns.ts';

/** Written in the transaction that makes the event true. `ownerId` is the owner of its subject, for visibility. */
export const events = pgTable(
  'events',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** Given by the api, in the order of delivery, once the transaction has ended; null until then. */
    seq: bigint('seq', { mode: 'number' }),
    type: text('type').notNull(),
    ownerId: uuid('owner_id'),
    documentId: uuid('document_id'),
    data: jsonb('data').$type<Record<string, unknown>>().notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    index('events_created_at_idx').on(t.createdAt),
    uniqueIndex('events_seq_key').on(t.seq),
    index('events_completed_idx')
      .on(t.createdAt, t.ownerId)
      .where(sql`${t.type} = 'ocr_progress' and ${t.data} ->> 'status' = 'completed'`),
    index('events_unnumbered').on(t.id).where(sql`${t.seq} is null`),
  ],
);
