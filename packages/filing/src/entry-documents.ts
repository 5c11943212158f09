import type { Db } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { CHANNELS } from '@sheaf/vocabulary/events';
import type { FilingKind } from './filing-kinds.ts';

/** What becomes of the entry of a document. */
export type NewEntry = { readonly id: string; readonly name: string } | null;

/** Locks the documents of an entry that the caller has locked, in the order in which everyone locks several. */
export const lockDocumentsOfEntry = async (tx: Db, { reference }: FilingKind, id: string): Promise<void> => {
  await tx.execute(sql`select from documents where ${reference} = ${id}::uuid order by id for no key update`);
};

const emitUpdates = async (tx: Db, { field }: FilingKind, which: SQL, then: NewEntry): Promise<void> => {
  const changes = JSON.stringify({ [field]: then && { id: then.id, name: then.name } });
  const { rowCount } = await tx.execute(sql`
    insert into events (type, owner_id, document_id, data)
    select 'document_updated', documents.owner_id, documents.id,
      jsonb_build_object('document_id', documents.id, 'changes', ${changes}::jsonb)
    from documents where ${which} order by documents.id`);
  if ((rowCount ?? 0) > 0) await tx.execute(sql`select pg_notify(${CHANNELS.events}, '')`);
};

/** Records a `document_updated` for each document of this entry, which is `then` now. One statement: an entry may be on most documents. */
export const emitDocumentUpdates = (tx: Db, kind: FilingKind, id: string, then: NewEntry): Promise<void> =>
  emitUpdates(tx, kind, sql`${kind.reference} = ${id}::uuid`, then);

/** Documents of one transaction: with each goes its search entry, so that a thousand take seconds. */
const PART = 500;

/**
 * Gives a part of the documents of the entry `from`, which the caller has locked, the entry `then`, or none. Returns whether there may be
 * more of them.
 */
const movePart = async (tx: Db, kind: FilingKind, from: string, then: NewEntry, part: number): Promise<boolean> => {
  const { reference } = kind;
  const { rows } = await tx.execute<{ id: string }>(
    sql`select id from documents where ${reference} = ${from}::uuid order by id limit ${part} for no key update`,
  );
  if (rows.length === 0) return false;
  const which = sql`documents.id = any(${sql.param(rows.map(({ id }) => id))}::uuid[])`;
  await emitUpdates(tx, kind, which, then);
  await tx.execute(sql`update documents set ${sql.identifier(reference.name)} = ${then?.id ?? null}::uuid where ${which}`);
  return rows.length === part;
};

/**
 * Moves the documents of the entry `from` to another one, or to none, each part in a transaction of its own, because one statement for ten
 * thousand documents would reach the statement timeout. `lock` locks the entries for a part and returns the other one. If it is ended between
 * parts, the moved documents stay moved, and a second call moves the rest.
 */
export const refileDocuments = async (
  db: Db,
  kind: FilingKind,
  from: string,
  lock: (tx: Db) => Promise<NewEntry>,
  part: number = PART,
): Promise<void> => {
  while (await db.transaction(async (tx) => movePart(tx, kind, from, await lock(tx), part)));
};
