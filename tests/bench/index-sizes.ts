import type { Db } from '@sheaf/db';
import { sql } from 'drizzle-orm';

const TABLES = [
  'document_search',
  'document_search_parts',
  'search_terms',
  'search_owner_terms',
  'search_totals',
  'search_owner_totals',
  'search_deltas',
];
const WORD_TABLES = new Set(['search_terms', 'search_owner_terms']);

export interface IndexSizes {
  /** All that is kept to search, in bytes. */
  readonly total: number;
  /** Of it what is kept by word: the inverted indexes and the word statistics. */
  readonly inverted: number;
  /** By table without its indexes, and by index. */
  readonly parts: Readonly<Record<string, number>>;
}

export const indexSizes = async (db: Db): Promise<IndexSizes> => {
  const { rows } = await db.execute<{ name: string; owner: string; method: string; bytes: number }>(sql`
    select t.relname as name, t.relname as owner, 'heap' as method, pg_table_size(t.oid)::float8 as bytes
    from pg_class t where t.relname = any(${sql.param(TABLES)}::text[]) and t.relkind = 'r'
    union all
    select i.relname, t.relname, am.amname, pg_relation_size(i.oid)::float8
    from pg_class t join pg_index on indrelid = t.oid join pg_class i on i.oid = indexrelid join pg_am am on am.oid = i.relam
    where t.relname = any(${sql.param(TABLES)}::text[]) and t.relkind = 'r'`);
  const sum = (of: readonly { bytes: number }[]): number => of.reduce((total, { bytes }) => total + bytes, 0);
  return {
    total: sum(rows),
    inverted: sum(rows.filter(({ owner, method }) => WORD_TABLES.has(owner) || method === 'gin')),
    parts: Object.fromEntries(rows.toSorted((a, b) => b.bytes - a.bytes).map(({ name, bytes }) => [name, bytes])),
  };
};
