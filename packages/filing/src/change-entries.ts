import { permissionNeeded, reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { documentsFor } from '@sheaf/db';
import { and, eq, sql } from '@sheaf/db/drizzle';
import { uuidv7 } from '@sheaf/process';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { FilingKind } from './filing-kinds.ts';
import type { FilingEntry } from './list-entries.ts';

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
 * FORBIDDEN where he may not do `action`.
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
