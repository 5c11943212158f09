import {
  EINVOICE_RULE_SETS,
  type EinvoiceAttachment,
  type EinvoiceDifference,
  type EinvoiceFacts,
  type EinvoiceViolation,
} from '@sheaf/vocabulary/einvoices';
import { FACT_KINDS } from '@sheaf/vocabulary/facts';
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, real, smallint, sql, text, unique, uuid } from '../drizzle.ts';
import { belongsTo, refersTo } from './columns.ts';
import { bytea, correspondents, documentIds } from './documents.ts';

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

/** What documents are or hold as e-invoices. */
export const documentEinvoices = pgTable(
  'document_einvoices',
  {
    documentId: uuid('document_id')
      .primaryKey()
      .references(() => documentIds.id, { onDelete: 'cascade' }),
    /** Null where it could not be read. */
    invoice: jsonb('invoice').$type<EinvoiceFacts>(),
    rules: text('rules', { enum: EINVOICE_RULE_SETS }),
    violations: jsonb('violations').$type<readonly EinvoiceViolation[]>().notNull().default([]),
    attachments: jsonb('attachments').$type<readonly EinvoiceAttachment[]>().notNull().default([]),
    /** Where the pages do not state what the XML does. */
    differences: jsonb('differences').$type<readonly EinvoiceDifference[]>().notNull().default([]),
    /** Why it could not be read. */
    error: text('error'),
  },
  (t) => [
    check('document_einvoices_rules_check', sql`${t.rules} in ('en16931', 'sums')`),
    check(
      'document_einvoices_read_check',
      sql`(${t.invoice} is null) = (${t.rules} is null) and (${t.invoice} is null) = (${t.error} is not null)`,
    ),
  ],
);

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
