import { isDeepStrictEqual } from 'node:util';
import { recordAudit } from '@sheaf/accounts/users';
import { reasonedError } from '@sheaf/contract';
import { type Db, savedSearchesFor } from '@sheaf/db';
import { and, asc, count, eq, ne, sql } from '@sheaf/db/drizzle';
import { savedSearches, savedSearchPins } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import type { AuditAction } from '@sheaf/vocabulary/audit-actions';
import { MAX_PINNED_SEARCHES, MAX_SAVED_SEARCHES } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { type SavedSearch, savedSearchNotFound } from './saved-searches.ts';

/** What the owner of a search decides. */
export type SavedSearchFields = Pick<
  SavedSearch,
  'name' | 'query' | 'filters' | 'viewRules' | 'sort' | 'order' | 'columns' | 'isShared' | 'notify'
>;

/** Who changes something, and from where. */
export interface Actor {
  readonly principal: Principal;
  readonly address: string | undefined;
}

interface Subject {
  readonly id: string;
  readonly name: string;
}

const audit = (tx: Db, { principal, address }: Actor, action: AuditAction, { id, name }: Subject): Promise<void> =>
  recordAudit(tx, { actor: principal, address, action, outcome: 'success', subject: { type: 'saved_search', id }, details: { name } });

/** Saves a search of the actor and answers its id. Throws `too_many_saved_searches` and `too_many_pins`. */
export const createSavedSearch = (
  db: Db,
  actor: Actor,
  { notify, columns, ...fields }: SavedSearchFields,
  pin: PinChange,
): Promise<string> =>
  db.transaction(async (tx) => {
    const id = uuidv7();
    const { userId } = actor.principal;
    await lockSearchesOf(tx, userId);
    const [own] = await tx.select({ total: count() }).from(savedSearches).where(eq(savedSearches.ownerId, userId));
    if ((own?.total ?? 0) >= MAX_SAVED_SEARCHES)
      throw reasonedError('VALIDATION_ERROR', 'too_many_saved_searches', { limit: MAX_SAVED_SEARCHES });
    await tx
      .insert(savedSearches)
      .values({ id, ownerId: userId, ...fields, columns: [...columns], notifySince: notify ? sql`now()` : null });
    await changePin(tx, userId, id, pin);
    if (fields.isShared) await audit(tx, actor, 'saved_search.shared', { id, name: fields.name });
    return id;
  });

/** The search that `principal` may use, locked. Throws SAVED_SEARCH_NOT_FOUND. */
const lockSavedSearch = async (tx: Db, principal: Principal, id: string) => {
  const [row] = await tx
    .select()
    .from(savedSearches)
    .where(and(eq(savedSearches.id, id), savedSearchesFor(principal)))
    .for('update');
  if (row === undefined) throw savedSearchNotFound(id);
  return row;
};

type Stored = Awaited<ReturnType<typeof lockSavedSearch>>;

/** What the principal sees of the fields now. */
const presentOf = (stored: Stored, isOwner: boolean): SavedSearchFields => ({ ...stored, notify: isOwner && stored.notifySince !== null });

/** Those of the fields that are given otherwise than they are. */
const changedOf = (given: Partial<SavedSearchFields>, present: SavedSearchFields): Partial<SavedSearchFields> =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => value !== undefined && !isDeepStrictEqual(value, present[name as keyof SavedSearchFields]),
    ),
  );

/** The rules of a view say no more what a search finds whose query or filters have changed. */
const withoutStaleRules = (changed: Partial<SavedSearchFields>): Partial<SavedSearchFields> =>
  changed.query === undefined && changed.filters === undefined ? changed : { viewRules: null, ...changed };

const store = async (tx: Db, id: string, { notify, columns, ...fields }: Partial<SavedSearchFields>): Promise<void> => {
  await tx
    .update(savedSearches)
    .set({
      ...fields,
      ...(columns === undefined ? {} : { columns: [...columns] }),
      ...(notify === undefined ? {} : { notifySince: notify ? sql`now()` : null }),
      updatedAt: sql`now()`,
    })
    .where(eq(savedSearches.id, id));
};

/**
 * Changes a search, and its pin for the actor. Of a search that somebody else shares they change the pin alone: FORBIDDEN for any other field that
 * is not given as it is. Throws SAVED_SEARCH_NOT_FOUND and `too_many_pins`, and as `requireMatch` does once it is locked.
 */
export const updateSavedSearch = (
  db: Db,
  actor: Actor,
  id: string,
  given: Partial<SavedSearchFields>,
  pin: PinChange,
  requireMatch: (tx: Db) => Promise<void> = async () => {},
): Promise<void> =>
  db.transaction(async (tx) => {
    const { principal } = actor;
    const stored = await lockSavedSearch(tx, principal, id);
    await requireMatch(tx);
    const isOwner = stored.ownerId === principal.userId;
    const changed = changedOf(given, presentOf(stored, isOwner));
    const hasChanged = Object.keys(changed).length > 0;
    if (hasChanged && !isOwner) throw reasonedError('FORBIDDEN', 'not_your_own');
    if (hasChanged) await store(tx, id, withoutStaleRules(changed));
    if (changed.isShared !== undefined)
      await audit(tx, actor, changed.isShared ? 'saved_search.shared' : 'saved_search.unshared', { id, name: changed.name ?? stored.name });
    if (changed.isShared === false)
      await tx.delete(savedSearchPins).where(and(eq(savedSearchPins.savedSearchId, id), ne(savedSearchPins.userId, stored.ownerId)));
    await lockSearchesOf(tx, principal.userId);
    await changePin(tx, principal.userId, id, pin);
  });

/** Deletes a search of the actor, with all its pins. Throws SAVED_SEARCH_NOT_FOUND, and FORBIDDEN where somebody else shares it. */
export const deleteSavedSearch = (db: Db, actor: Actor, id: string): Promise<void> =>
  db.transaction(async (tx) => {
    const stored = await lockSavedSearch(tx, actor.principal, id);
    if (stored.ownerId !== actor.principal.userId) throw reasonedError('FORBIDDEN', 'not_your_own');
    await tx.delete(savedSearches).where(eq(savedSearches.id, id));
    await audit(tx, actor, 'saved_search.deleted', stored);
  });

/** Until the end of the transaction nobody else saves or pins searches for the user, so that they can be counted. */
const lockSearchesOf = async (tx: Db, userId: string): Promise<void> => {
  await tx.execute(sql`select pg_advisory_xact_lock(${0x73_68_70}, hashtext(${userId}))`);
};

/** What is wanted of a pin. */
interface PinChange {
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
const changePin = async (tx: Db, userId: string, id: string, change: PinChange): Promise<void> => {
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
