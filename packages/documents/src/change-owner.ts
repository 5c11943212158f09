import { codedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { and, asc, count, eq, inArray, type SQL, sql } from '@sheaf/db/drizzle';
import { documents, events, ingestLedger, sources, trashedDocuments } from '@sheaf/db/schema';
import { retry } from '@sheaf/process';
import { isTakenMeanwhile, UNIQUE_FIELD_ERRORS } from './unique-fields.ts';

/** SQL for whether `ownerId` has a document with the same file, or the same number, as the one of `documents` (or of `row`). */
const hasSame = (field: 'archive_number' | 'sha256', ownerId: string, row: SQL = sql`documents`): SQL => {
  const name = sql.identifier(field);
  return sql`exists (select from documents as theirs where theirs.owner_id = ${ownerId}::uuid and theirs.${name} = ${row}.${name})`;
};

/** The errors of routes that give all documents of a user to another one. */
export const TRANSFER_ERRORS = { ...UNIQUE_FIELD_ERRORS, DOCUMENTS_ARE_DUPLICATES: 'DUPLICATE_RESOURCE' } as const;

const requireNoTwins = async (tx: Db, fromId: string, toId: string): Promise<void> => {
  const ofUser = eq(documents.ownerId, fromId);
  const [twins] = await tx
    .select({ total: count() })
    .from(documents)
    .where(and(ofUser, hasSame('sha256', toId)));
  const duplicates = twins?.total ?? 0;
  if (duplicates > 0)
    throw codedError('DUPLICATE_RESOURCE', 'DOCUMENTS_ARE_DUPLICATES', { user_id: fromId, transfer_to: toId, documents: duplicates });
  const [taken] = await tx
    .select({ archive_number: documents.archiveNumber })
    .from(documents)
    .where(and(ofUser, hasSame('archive_number', toId)))
    .orderBy(asc(documents.archiveNumber))
    .limit(1);
  if (taken !== undefined) throw codedError('DUPLICATE_RESOURCE', 'ARCHIVE_NUMBER_TAKEN', taken);
};

/**
 * Gives everything that a user owns to another one, whose row the caller holds, documents in the trash as well; answers how many documents
 * that were, without those. Throws DOCUMENTS_ARE_DUPLICATES where the other one has some of the same files already, and
 * ARCHIVE_NUMBER_TAKEN for the first number that both have: which of the two to keep is for people to say.
 * Tallies and search copies follow by their triggers.
 */
export const transferDocuments = async (tx: Db, fromId: string, toId: string): Promise<number> => {
  await requireNoTwins(tx, fromId, toId);
  const moved = await tx.update(documents).set({ ownerId: toId }).where(eq(documents.ownerId, fromId)).returning({ id: documents.id });
  await tx.update(trashedDocuments).set({ ownerId: toId }).where(eq(trashedDocuments.ownerId, fromId));
  await tx.update(ingestLedger).set({ ownerId: toId }).where(eq(ingestLedger.ownerId, fromId));
  await tx.update(sources).set({ ownerId: toId, updatedAt: sql`now()` }).where(eq(sources.ownerId, fromId));
  // who owns a document now may read what happened to it
  await tx.update(events).set({ ownerId: toId }).where(eq(events.ownerId, fromId));
  return moved.length;
};

/**
 * Those of the documents that `ownerId` can get: nobody has the same file or the same archive number twice. Of several with the same file or
 * number it is one, and none where this user has that file or number.
 */
export const findMovable = async (db: Db, ids: readonly string[], ownerId: string): Promise<Set<string>> => {
  const { rows } = await db.execute<{ id: string }>(sql`
    with file as (
      select distinct on (sha256) id, archive_number from documents
      where id = any(${sql.param([...ids])}::uuid[]) and not ${hasSame('sha256', ownerId)}
      order by sha256, id)
    select id from file where archive_number is null
    union all (
      select distinct on (archive_number) id from file
      where archive_number is not null and not ${hasSame('archive_number', ownerId, sql`file`)}
      order by archive_number, id)`);
  return new Set(rows.map(({ id }) => id));
};

/** Imports that may happen in between, one after the other, before the change is abandoned. */
const ATTEMPTS = 3;

const moveMovable = async (tx: Db, ids: readonly string[], ownerId: string): Promise<Set<string>> => {
  const movable = await findMovable(tx, ids, ownerId);
  if (movable.size > 0)
    await tx
      .update(documents)
      .set({ ownerId })
      .where(inArray(documents.id, [...movable]));
  return movable;
};

/**
 * Gives the documents, which the caller has locked, another owner; answers those that this user could get. Hold the row of the user. Tallies
 * and the search entry follow by their triggers; the import log stays with whom the file came from, so that it is not imported again.
 */
export const moveDocuments = (tx: Db, ids: readonly string[], ownerId: string): Promise<Set<string>> =>
  // the user may have got the same file or number meanwhile, which is found the next time
  retry(() => tx.transaction((part) => moveMovable(part, ids, ownerId)), { attempts: ATTEMPTS, isPassing: isTakenMeanwhile });
