import { FACT_KINDS } from '@sheaf/vocabulary/facts';
import { boolean, check, index, integer, pgTable, real, smallint, sql, text, unique, uuid } from '../drizzle.ts';
import { belongsTo, refersTo } from './columns.ts';
import { correspondents, documentIds } from './documents.ts';

/** What documents state, as it was found in their text: at most ten candidates of each kind. */
export const documentFacts = pgTable(
  'document_facts',
  {
    id: uuid('id').primaryKey(),
    documentId: belongsTo('document_id', () => documentIds.id),
    kind: text('kind', { enum: FACT_KINDS }).notNull(),
    value: text('value').notNull(),
    /** Null where it is not known where it stands. */
    page: integer('page'),
    /** In fractions of the page from its top left corner; all null where the positions of its words are not known. */
    x: real('x'),
    y: real('y'),
    width: real('width'),
    height: real('height'),
    confidence: real('confidence').notNull(),
    /** What found it. */
    rule: text('rule').notNull(),
    isAmbiguous: boolean('is_ambiguous').notNull().default(false),
    /** Of an ambiguous date: the order in which its numbers give this value. */
    dateOrder: text('date_order', { enum: ['day_first', 'month_first', 'year_first'] }),
    /** Whether it is the one of its kind that counts. */
    isChosen: boolean('is_chosen').notNull().default(false),
    /** Whom a sender is. */
    correspondentId: refersTo('correspondent_id', () => correspondents.id),
    /** 0 for the best of its kind. */
    rank: smallint('rank').notNull(),
  },
  (t) => [
    check('document_facts_value_check', sql`char_length(${t.value}) between 1 and 200`),
    unique('document_facts_value_key').on(t.documentId, t.kind, t.value),
    index('document_facts_correspondent_id_idx').on(t.correspondentId).where(sql`${t.correspondentId} is not null`),
  ],
);
export type DocumentFact = typeof documentFacts.$inferSelect;
