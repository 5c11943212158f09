import { check, index, pgTable, sql, text, uuid } from '../drizzle.ts';
import { createdAt, refersTo } from './columns.ts';
import { users } from './users.ts';

/** What documents are: invoices, contracts, letters. */
export const documentTypes = pgTable(
  'document_types',
  {
    id: uuid('id').primaryKey(),
    name: text('name').notNull(),
    createdBy: refersTo('created_by', () => users.id),
    createdAt: createdAt(),
    /** The name in the order of people. */
    nameKey: text('name_key').notNull().generatedAlwaysAs(sql`name`),
  },
  (t) => [
    check('document_types_name_check', sql`char_length(${t.name}) between 1 and 100`),
    index('document_types_name_idx').on(sql`lower(${t.name})`, t.createdBy),
    index('document_types_plain_name_idx').using('gin', sql`sheaf_plain(sheaf_words(${t.name})) gin_trgm_ops`),
    index('document_types_created_by_idx').on(t.createdBy).where(sql`${t.createdBy} is not null`),
  ],
);
export type DocumentType = typeof documentTypes.$inferSelect;
