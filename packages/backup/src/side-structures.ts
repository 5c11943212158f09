import type { Client } from 'pg';

/** What was taken off tables, as the statements that put it back. */
export type SideStructures = readonly string[];

interface Pair {
  readonly take: string;
  readonly put: string;
}

const FOREIGN_KEYS = `
  select format('alter table %1$s drop constraint %2$I', conrelid::regclass, conname) as take,
    format('alter table %1$s add constraint %2$I %3$s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as put
  from pg_constraint
  where contype = 'f' and conparentid = 0 and conrelid = any ($1::regclass[])
  order by conrelid::regclass::text, conname`;

const PLAIN_INDEXES = `
  select format('drop index %s', indexrelid::regclass) as take, pg_get_indexdef(indexrelid) as put
  from pg_index
  where indrelid = any ($1::regclass[]) and not exists (select from pg_constraint where conindid = indexrelid)
  order by indexrelid::regclass::text`;

/**
 * Takes foreign keys and indexes off the tables and lets their triggers rest: rows then come in any order, what triggers would count
 * comes with them, and an index that is made of all rows at once takes a tenth of the time. Keys stay. Within a transaction only:
 * nobody may see the tables so.
 */
export const takeSideStructures = async (client: Client, tables: readonly string[]): Promise<SideStructures> => {
  const names = tables.map((table) => client.escapeIdentifier(table));
  for (const name of names) await client.query(`alter table ${name} disable trigger user`);
  const keys = await client.query<Pair>(FOREIGN_KEYS, [names]);
  const indexes = await client.query<Pair>(PLAIN_INDEXES, [names]);
  for (const { take } of [...keys.rows, ...indexes.rows]) await client.query(take);
  // indexes first: foreign keys are compared with their help
  return [...indexes.rows, ...keys.rows].map(({ put }) => put).concat(names.map((name) => `alter table ${name} enable trigger user`));
};

/** Puts back what was taken off. Throws where rows break what is put back. */
export const putSideStructures = async (client: Client, taken: SideStructures, signal: AbortSignal): Promise<void> => {
  for (const statement of taken) {
    signal.throwIfAborted();
    await client.query(statement);
  }
};
