import { permissionNeeded, reasonedError } from '@sheaf/contract';
import { type Db, documentsFor } from '@sheaf/db';
import { and, eq, type SQL, sql } from '@sheaf/db/drizzle';
import { uuidv7 } from '@sheaf/process';
import { CHANNELS } from '@sheaf/vocabulary/events';
import { MAX_CORRESPONDENT_DETAILS } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { FilingEntry, FilingKind } from './list-entries.ts';

/** `texts` without those in `except`, each once, the case of letters aside; the first ones where there are more than an entry may have. */
const united = (texts: readonly string[], except: readonly string[]): string[] => {
  const seen = new Set(except.map((text) => text.toLowerCase()));
  const kept: string[] = [];
  for (const text of texts) {
    if (!seen.has(text.toLowerCase())) kept.push(text);
    seen.add(text.toLowerCase());
  }
  return kept.slice(0, MAX_CORRESPONDENT_DETAILS);
};

/** Adds the lists of `from` to those of `into`, and its name to the former names. */
const uniteDetails = async <D extends string>(tx: Db, kind: FilingKind<D>, from: string, into: string): Promise<void> => {
  const names = Object.keys(kind.details) as D[];
  if (names.length === 0) return;
  const lists = sql.join(
    names.map((name) => sql`${kind.details[name]} as ${sql.identifier(name)}`),
    sql`, `,
  );
  const { rows } = await tx.execute<{ id: string; name: string } & Record<D, string[]>>(
    sql`select ${kind.table.id}, ${kind.table.name}, ${lists} from ${kind.table} where ${kind.table.id} in (${from}, ${into})`,
  );
  const [gone, kept] = [rows.find(({ id }) => id === from), rows.find(({ id }) => id === into)];
  if (gone === undefined || kept === undefined) throw new Error('an entry that is locked is gone');
  const changes = names.map((name) => {
    const isNames = name === kind.formerNames;
    return [name, united([...kept[name], ...(isNames ? [gone.name] : []), ...gone[name]], isNames ? [kept.name] : [])];
  });
  await tx
    .update(kind.table)
    .set(Object.fromEntries(changes) as Partial<Record<D, string[]>>)
    .where(eq(kind.table.id, into));
};

/**
 * Locks both entries and answers their names. Throws as `lockEntry` does, and `merged_into_itself`.
 */
const lockBoth = async (tx: Db, kind: FilingKind, principal: Principal, from: string, into: string) => {
  const names = new Map<string, string>();
  // in the order of their ids, as two that are merged into each other at once would wait in a circle
  for (const id of [...new Set([from, into])].toSorted()) {
    const [action, strength] = id === from ? (['labels.delete', 'update'] as const) : (['labels.update', 'no key update'] as const);
    names.set(id, (await lockEntry(tx, kind, principal, action, id, strength)).name);
  }
  if (from === into) throw reasonedError('VALIDATION_ERROR', 'merged_into_itself');
  return { from: names.get(from) ?? '', into: names.get(into) ?? '' };
};

/** Moves the documents of the entry `from` to the entry `into` in parts, see `refileDocuments`. `mergeEntries` then has few left to move. */
export const moveBeforeMerge = (db: Db, kind: FilingKind, principal: Principal, from: string, into: string): Promise<void> =>
  refileDocuments(db, kind, from, async (tx) => ({ id: into, name: (await lockBoth(tx, kind, principal, from, into)).into }));

/**
 * Moves what documents are left at the entry `from` to the entry `into`, which also gets what is known of the other, and deletes `from`.
 * Answers both names. Throws as `lockEntry` does, and `merged_into_itself`.
 */
export const mergeEntries = async <D extends string>(
  tx: Db,
  kind: FilingKind<D>,
  principal: Principal,
  from: string,
  into: string,
): Promise<{ readonly from: string; readonly into: string }> => {
  const names = await lockBoth(tx, kind, principal, from, into);
  await lockDocumentsOfEntry(tx, kind, from);
  await emitDocumentUpdates(tx, kind, from, { id: into, name: names.into });
  for (const column of [kind.reference, ...kind.mentions])
    await tx.execute(sql`update ${column.table} set ${sql.identifier(column.name)} = ${into}::uuid where ${column} = ${from}::uuid`);
  await uniteDetails(tx, kind, from, into);
  await deleteEntry(tx, kind, from);
  return names;
};

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

/** Until the end of the transaction nobody else can take the name. */
export const lockName = async (tx: Db, kind: FilingKind, name: string): Promise<void> => {
  await tx.execute(sql`select pg_advisory_xact_lock(${kind.namesLock}, hashtext(lower(${name})))`);
};

/**
 * Throws DUPLICATE_RESOURCE with the id where an entry that `principal` may read or has made has the name, the entry `except` aside: a
 * name that only entries of others have is free, so nobody learns of theirs. Until the end of the transaction nobody else can take
 * the name.
 */
const requireFreeName = async (tx: Db, kind: FilingKind, principal: Principal, name: string, except?: string): Promise<void> => {
  const { table } = kind;
  await lockName(tx, kind, name);
  const { rows } = await tx.execute<{ id: string }>(sql`
    select id from ${table} where lower(${table.name}) = lower(${name})
      and (${kind.allowedFor(principal, 'labels.read')} or ${table.createdBy} = ${principal.userId}::uuid)
      and ${table.id} is distinct from ${except ?? null}::uuid
    order by id limit 1`);
  if (rows[0] === undefined) return;
  throw reasonedError('DUPLICATE_RESOURCE', kind.exists, { name, [`${kind.field}_id`]: rows[0].id });
};

/** What people enter of an entry. */
export interface EntryFields<D extends string> {
  readonly name: string;
  readonly details: Readonly<Record<D, readonly string[]>>;
}

/** Makes an entry. Throws DUPLICATE_RESOURCE. */
export const createEntry = <D extends string>(
  db: Db,
  kind: FilingKind<D>,
  { name, details }: EntryFields<D>,
  by: Principal,
): Promise<FilingEntry<D>> =>
  db.transaction(async (tx) => {
    await requireFreeName(tx, kind, by, name);
    const row = { id: uuidv7(), name, createdAt: new Date() };
    await tx.insert(kind.table).values({ ...row, ...details, createdBy: by.userId });
    return { ...row, details, documents: 0, createdBy: by.username };
  });

/** What of an entry changes; what is undefined does not. */
export interface EntryChanges<D extends string> {
  readonly name?: string | undefined;
  readonly details?: { readonly [K in D]?: readonly string[] | undefined };
}

/** Changes an entry that the caller has locked. Throws DUPLICATE_RESOURCE. */
export const updateEntry = async <D extends string>(
  tx: Db,
  kind: FilingKind<D>,
  principal: Principal,
  id: string,
  { name, details }: EntryChanges<D>,
): Promise<void> => {
  const changes = { name, ...details };
  if (Object.values(changes).every((value) => value === undefined)) return;
  if (name !== undefined) await requireFreeName(tx, kind, principal, name, id);
  await tx.update(kind.table).set(changes).where(eq(kind.table.id, id));
};

/** Deletes an entry that the caller has locked, with its documents; they remain without it. */
export const deleteEntry = async (tx: Db, kind: FilingKind, id: string): Promise<void> => {
  await tx.delete(kind.table).where(eq(kind.table.id, id));
};

/**
 * The name of the entry, locked until the end of the transaction: `no key update` to change it, `update` to delete it. Entries go
 * before documents: who gives one to a document locks it first. Throws that it is not there where `principal` may not read it, and
 * FORBIDDEN where they may not do `action`.
 */
export const lockEntry = async (
  tx: Db,
  kind: FilingKind,
  principal: Principal,
  action: 'labels.update' | 'labels.delete',
  id: string,
  strength: 'no key update' | 'update',
): Promise<{ readonly name: string }> => {
  const [row] = await tx
    .select({ name: kind.table.name, isAllowed: sql<boolean>`coalesce(${kind.allowedFor(principal, action)}, false)` })
    .from(kind.table)
    .where(and(eq(kind.table.id, id), kind.allowedFor(principal, 'labels.read')))
    .for(strength);
  if (row === undefined) throw kind.notFound(id);
  if (!row.isAllowed) throw reasonedError('FORBIDDEN', 'not_your_own');
  return row;
};

/**
 * The entry, to be given to documents that are locked after it: until the end of the transaction it neither goes nor changes its
 * name. It must be one that `principal` may read, or that one of `documentIds` has: it is a part of the document. Throws
 * VALIDATION_ERROR otherwise, and FORBIDDEN instead without the permission to read labels.
 */
export const requireEntry = async (
  tx: Db,
  kind: FilingKind,
  principal: Principal,
  id: string,
  documentIds: readonly string[],
): Promise<{ readonly id: string; readonly name: string }> => {
  const { table, reference } = kind;
  const { rows } = await tx.execute<{ id: string; name: string }>(sql`
    select id, name from ${table} where ${table.id} = ${id}::uuid and (${kind.allowedFor(principal, 'labels.read')} or exists (
      select from documents where ${reference} = ${table.id} and documents.id = any(${sql.param([...documentIds])}::uuid[])
        and ${documentsFor(principal, 'documents.read')}))
    for share`);
  if (rows[0] !== undefined) return rows[0];
  if (scopeOf(principal.permissions, 'labels.read') === 'none') throw permissionNeeded('labels.read');
  throw reasonedError('VALIDATION_ERROR', kind.unknown, { [`${kind.field}_id`]: id });
};
