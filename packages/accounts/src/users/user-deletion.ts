import { codedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { count, eq, sql } from '@sheaf/db/drizzle';
import { documents, events, ingestLedger, sources, trashedDocuments, users } from '@sheaf/db/schema';
import { CHANNELS } from '@sheaf/vocabulary/events';
import { userNotFound } from './user-list.ts';

/** Throws USER_OWNS_DOCUMENTS with their number, those in the trash included. */
export const requireNoDocuments = async (tx: Db, userId: string): Promise<void> => {
  const [row] = await tx.select({ total: count() }).from(documents).where(eq(documents.ownerId, userId));
  const [trashed] = await tx.select({ total: count() }).from(trashedDocuments).where(eq(trashedDocuments.ownerId, userId));
  const total = (row?.total ?? 0) + (trashed?.total ?? 0);
  if (total === 0) return;
  throw codedError('DUPLICATE_RESOURCE', 'USER_OWNS_DOCUMENTS', { user_id: userId, documents: total, in_trash: trashed?.total ?? 0 });
};

/**
 * Gives everything that a user owns to another one, documents in the trash as well; answers how many documents that were, without those. Throws DOCUMENTS_ARE_DUPLICATES where
 * the other one has some of the same files already, and ARCHIVE_NUMBER_TAKEN for the first number that both have: which of the two to keep is
 * for people to say.
 * Tallies and search copies follow by their triggers.
 */
export const transferDocuments = async (tx: Db, fromId: string, toId: string): Promise<number> => {
  const [receiver] = await tx.select({ id: users.id }).from(users).where(eq(users.id, toId)).for('key share');
  if (receiver === undefined) throw userNotFound({ user_id: toId });
  const { rows } = await tx.execute<{ total: number }>(sql`
    select count(*)::int as total from documents as mine join documents as theirs using (sha256)
    where mine.owner_id = ${fromId} and theirs.owner_id = ${toId}`);
  const duplicates = rows[0]?.total ?? 0;
  if (duplicates > 0) {
    throw codedError('DUPLICATE_RESOURCE', 'DOCUMENTS_ARE_DUPLICATES', { user_id: fromId, transfer_to: toId, documents: duplicates });
  }
  const taken = await tx.execute<{ archive_number: number }>(sql`
    select mine.archive_number from documents as mine join documents as theirs using (archive_number)
    where mine.owner_id = ${fromId} and theirs.owner_id = ${toId} order by archive_number limit 1`);
  const [number] = taken.rows;
  if (number !== undefined) throw codedError('DUPLICATE_RESOURCE', 'ARCHIVE_NUMBER_TAKEN', { archive_number: number.archive_number });
  const moved = await tx.update(documents).set({ ownerId: toId }).where(eq(documents.ownerId, fromId)).returning({ id: documents.id });
  await tx.update(trashedDocuments).set({ ownerId: toId }).where(eq(trashedDocuments.ownerId, fromId));
  await tx.update(ingestLedger).set({ ownerId: toId }).where(eq(ingestLedger.ownerId, fromId));
  await tx.update(sources).set({ ownerId: toId, updatedAt: sql`now()` }).where(eq(sources.ownerId, fromId));
  // who owns a document now may read what happened to it
  await tx.update(events).set({ ownerId: toId }).where(eq(events.ownerId, fromId));
  return moved.length;
};

/** Deletes the user with their sessions, keys, devices, tokens and sources. Lock them first; they must own no documents any more. */
export const deleteUser = async (tx: Db, userId: string): Promise<void> => {
  await tx.delete(users).where(eq(users.id, userId));
  // runs over sources of their end, or go on for who has them now
  await tx.execute(sql`select pg_notify(${CHANNELS.sources}, '')`);
};
