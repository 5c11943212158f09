import { reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { and, asc, eq, sql } from '@sheaf/db/drizzle';
import { savedSearchPins } from '@sheaf/db/schema';
import { MAX_PINNED_SEARCHES } from '@sheaf/vocabulary/limits';

/** Until the end of the transaction nobody else saves or pins searches for the user, so that they can be counted. */
export const lockSearchesOf = async (tx: Db, userId: string): Promise<void> => {
  await tx.execute(sql`select pg_advisory_xact_lock(${0x73_68_70}, hashtext(${userId}))`);
};

/** What is wanted of a pin. */
export interface PinChange {
  /** As it is where nothing is given. */
  readonly isPinned?: boolean | undefined;
  /** Where it goes among the others. Behind them where nothing is given and it was not pinned. */
  readonly position?: number | null | undefined;
}

const placed = (ids: readonly string[], id: string, { isPinned, position }: PinChange): readonly string[] => {
  const wasPinned = ids.includes(id);
  if (!(isPinned ?? wasPinned)) return ids.filter((one) => one !== id);
  const isMoved = typeof position === 'number';
  if (wasPinned && !isMoved) return ids;
  return ids.filter((one) => one !== id).toSpliced(isMoved ? position : ids.length, 0, id);
};

/**
 * Pins a search for a user, takes the pin off, or moves it among the others. The caller has locked the search, and then the searches of the
 * user. Throws `too_many_pins`.
 */
export const changePin = async (tx: Db, userId: string, id: string, change: PinChange): Promise<void> => {
  if (change.isPinned === undefined && typeof change.position !== 'number') return;
  const rows = await tx
    .select({ id: savedSearchPins.savedSearchId })
    .from(savedSearchPins)
    .where(eq(savedSearchPins.userId, userId))
    .orderBy(asc(savedSearchPins.position), asc(savedSearchPins.savedSearchId));
  const before = rows.map((row) => row.id);
  const after = placed(before, id, change);
  if (after.length > Math.max(before.length, MAX_PINNED_SEARCHES))
    throw reasonedError('VALIDATION_ERROR', 'too_many_pins', { limit: MAX_PINNED_SEARCHES });
  if (!after.includes(id))
    await tx.delete(savedSearchPins).where(and(eq(savedSearchPins.userId, userId), eq(savedSearchPins.savedSearchId, id)));
  if (!before.includes(id) && after.includes(id)) await tx.insert(savedSearchPins).values({ savedSearchId: id, userId, position: 0 });
  await tx.execute(sql`
    update saved_search_pins as pin set position = placed.position - 1
    from unnest(${sql.param([...after])}::uuid[]) with ordinality as placed (id, position)
    where pin.user_id = ${userId} and pin.saved_search_id = placed.id and pin.position <> placed.position - 1`);
};
