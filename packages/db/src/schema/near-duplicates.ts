import { boolean, check, index, pgTable, primaryKey, real, sql, uuid } from '../drizzle.ts';
import { belongsTo } from './columns.ts';
import { bytea, documentIds } from './documents.ts';

/** What near-duplicates are found by. */
export const minhashSignatures = pgTable(
  'minhash_signatures',
  {
    documentId: uuid('document_id')
      .primaryKey()
      .references(() => documentIds.id, { onDelete: 'cascade' }),
    /** False until the document was compared with those that were there before. */
    isCompared: boolean('is_compared').notNull().default(false),
    /** Null where the text is too short to be compared. */
    signature: bytea('signature'),
  },
  (t) => [
    index('minhash_signatures_waiting_idx').on(t.documentId).where(sql`not ${t.isCompared}`),
    index('minhash_signatures_bands_idx').using('gin', sql`signature_bands(${t.signature})`).with({ fastupdate: false }),
  ],
);

/** Two documents with nearly the same text, the lower id first. */
export const nearDuplicates = pgTable(
  'near_duplicates',
  {
    documentId: belongsTo('document_id', () => documentIds.id),
    otherId: belongsTo('other_id', () => documentIds.id),
    similarity: real('similarity').notNull(),
    isDismissed: boolean('is_dismissed').notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.documentId, t.otherId] }),
    index('near_duplicates_other_id_idx').on(t.otherId),
    check('near_duplicates_order_check', sql`${t.documentId} < ${t.otherId}`),
    check('near_duplicates_similarity_check', sql`${t.similarity} between 0 and 1`),
  ],
);
