import { check, index, pgTable, sql, text, uuid } from '../drizzle.ts';
import { createdAt, refersTo } from './columns.ts';
import { users } from './users.ts';

/** Who documents are from. */
export const correspondents = pgTable(
  'correspondents',
  {
    id: uuid('id').primaryKey(),
    name: text('name').notNull(),
    aliases: text('aliases').array().notNull().default([]),
    ibans: text('ibans').array().notNull().default([]),
    vatIds: text('vat_ids').array().notNull().default([]),
    /** Of e-mail and web addresses. */
    domains: text('domains').array().notNull().default([]),
    /** In which order the numbers of its dates stand, learnt from what people confirmed. */
    dateOrder: text('date_order', { enum: ['day_first', 'month_first', 'year_first'] }),
    createdBy: refersTo('created_by', () => users.id),
    createdAt: createdAt(),
    /** The name in the order of people. */
    nameKey: text('name_key').notNull().generatedAlwaysAs(sql`name`),
  },
  (t) => [
    check('correspondents_name_check', sql`char_length(${t.name}) between 1 and 200`),
    check('correspondents_date_order_check', sql`${t.dateOrder} in ('day_first', 'month_first', 'year_first')`),
    index('correspondents_name_idx').on(sql`lower(${t.name})`, t.createdBy),
    index('correspondents_plain_name_idx').using('gin', sql`sheaf_plain(sheaf_words(${t.name})) gin_trgm_ops`),
    index('correspondents_created_by_idx').on(t.createdBy).where(sql`${t.createdBy} is not null`),
  ],
);
export type Correspondent = typeof correspondents.$inferSelect;
