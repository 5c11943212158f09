import type { Db } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { indexDocument, indexDocuments, removeFromIndex } from './index-document.ts';

/** Documents compared in one transaction: their rows are locked so long, some 100 ms. */
const BATCH = 50;
/** Transactions at once: to make a vector anew keeps a core of the database busy. */
const AT_ONCE = 2;

/** Only documents that were read to their end: while one is read again, its pages run ahead of its entry, and may. */
const isSettled: SQL = sql`status in ('completed', 'failed')`;

export interface EntryDifference {
  readonly documentId: string;
  /** Without an entry; with another one than it would get today; an entry whose document does not exist. */
  readonly kind: 'missing' | 'different' | 'orphan';
}

interface IdRow extends Record<string, unknown> {
  readonly id: string;
}

const asArray = (ids: readonly string[]): SQL => sql`${sql.param(ids)}::uuid[]`;

/** Locks those of `ids` that are settled. Those that somebody else holds are left out, unless they may be waited for. */
const lockSettled = async (tx: Db, ids: readonly string[], mayWait: boolean): Promise<string[]> => {
  const { rows } = await tx.execute<IdRow>(sql`
    select id from documents where id = any(${asArray(ids)}) and ${isSettled} order by id
    for no key update ${mayWait ? sql.empty() : sql`skip locked`}`);
  return rows.map(({ id }) => id);
};

/**
 * Makes empty temporary twins of the tables of the index. Unqualified names mean them from here to the end of the transaction:
 * what is written then is neither kept nor counted, and leaves nothing behind in the real index.
 */
const shadowTables = async (tx: Db): Promise<SQL> => {
  const { rows } = await tx.execute<{ schema: string }>(sql`
    select relnamespace::regnamespace::text as schema from pg_class where oid = 'document_search'::regclass`);
  for (const table of ['document_search', 'document_search_parts']) {
    const name = sql.identifier(table);
    await tx.execute(sql`create temporary table ${name} (like ${name} including defaults including generated) on commit drop`);
  }
  // first by default, but an operator may have set another path, and then the real tables would be written
  await tx.execute(sql`select set_config('search_path', 'pg_temp, ' || current_setting('search_path'), true)`);
  await tx.execute(sql`create unique index on pg_temp.document_search (document_id)`);
  await tx.execute(sql`create index on pg_temp.document_search_parts (document_id)`);
  return sql.raw(rows[0]?.schema ?? 'public');
};

const partsOf = (schema: SQL): SQL =>
  sql`(select string_agg(part::text, ',' order by part::text) from ${schema}.document_search_parts as part where part.document_id = asked.id)`;

const entryOf = (schema: SQL): SQL => sql`(select entry::text from ${schema}.document_search as entry where entry.document_id = asked.id)`;

/** What the real tables have of `ids` against what was written into their twins, whatever their columns are. */
const compareWithTwins = async (tx: Db, schema: SQL, ids: readonly string[]): Promise<EntryDifference[]> => {
  const twins = sql`pg_temp`;
  const { rows } = await tx.execute<IdRow & { kind: 'missing' | 'different' }>(sql`
    select id, case when kept is null then 'missing' else 'different' end as kind
    from (
      select id, ${entryOf(schema)} as kept, ${entryOf(twins)} as right_entry, ${partsOf(schema)} as kept_parts, ${partsOf(twins)} as right_parts
      from unnest(${asArray(ids)}) as asked (id)
    ) as compared
    where kept is distinct from right_entry or kept_parts is distinct from right_parts order by id`);
  return rows.map(({ id, kind }) => ({ documentId: id, kind }));
};

/** Compares those of `ids` that can be locked, and says which could not be. */
const compareBatch = (db: Db, ids: readonly string[], mayWait: boolean): Promise<{ found: EntryDifference[]; left: string[] }> =>
  db.transaction(async (tx) => {
    const locked = await lockSettled(tx, ids, mayWait);
    const left = ids.filter((id) => !locked.includes(id));
    if (locked.length === 0) return { found: [], left };
    const schema = await shadowTables(tx);
    await indexDocuments(tx, locked);
    return { found: await compareWithTwins(tx, schema, locked), left };
  });

/** The differences of those of `ids` that nobody holds now. */
export const compareEntries = async (db: Db, ids: readonly string[]): Promise<EntryDifference[]> =>
  (await compareBatch(db, ids, false)).found;

const listSettled = async (db: Db, after: string | undefined): Promise<string[]> => {
  const { rows } = await db.execute<IdRow>(sql`
    select id from documents where ${isSettled} and ${after === undefined ? sql`true` : sql`id > ${after}`} order by id limit ${AT_ONCE * BATCH}`);
  return rows.map(({ id }) => id);
};

/** Documents that must have an entry: read, or failed for good. */
export const countSettledDocuments = async (db: Db): Promise<number> => {
  const { rows } = await db.execute<{ count: number }>(sql`select count(*)::int as count from documents where ${isSettled}`);
  return rows[0]?.count ?? 0;
};

/**
 * Compares the entry of every settled document with the one that indexDocument would write now, two batches at a time on connections of
 * their own, and yields what differs. Changes nothing. Safe beside running processes: never waits for a row while it holds another.
 */
export async function* findEntryDifferences(db: Db, onProgress: (documents: number) => void = () => {}): AsyncGenerator<EntryDifference> {
  let done = 0;
  for (let ids = await listSettled(db, undefined); ids.length > 0; ids = await listSettled(db, ids.at(-1))) {
    const batches = Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, i) => ids.slice(i * BATCH, (i + 1) * BATCH));
    const compared = await Promise.all(batches.map((batch) => compareBatch(db, batch, false)));
    for (const { found } of compared) yield* found;
    for (const id of compared.flatMap(({ left }) => left)) yield* (await compareBatch(db, [id], true)).found;
    done += ids.length;
    onProgress(done);
  }
}

/**
 * Yields the documents that have entries, or parts of entries, and should not: those that do not exist, and parts without an
 * entry. A document that waits to be read may have an entry, as its title is found already.
 */
export const findOrphanEntries = async (db: Db): Promise<EntryDifference[]> => {
  const { rows } = await db.execute<IdRow>(sql`
    select document_id as id from document_search as entry where not exists (select from documents where id = entry.document_id)
    union
    select document_id from document_search_parts as part where not exists (select from documents where id = part.document_id)
      or not exists (select from document_search as entry where entry.document_id = part.document_id)
        and not exists (select from documents where id = part.document_id and ${isSettled})
    order by id`);
  return rows.map(({ id }) => ({ documentId: id, kind: 'orphan' }));
};

/** Mends one difference in a transaction of its own. A document that is being read again by now is left to its reader. */
export const repairEntry = (db: Db, { documentId, kind }: EntryDifference): Promise<void> =>
  db.transaction(async (tx) => {
    if (kind === 'orphan') await removeFromIndex(tx, documentId);
    else if ((await lockSettled(tx, [documentId], true)).length > 0) await indexDocument(tx, documentId);
  });
