import { codedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { type Cut, type CutRequest, makeKeyset, ownedBy, toCut } from '@sheaf/db';
import { and, count, eq, gt, inArray, isNull, lt, or, sql } from '@sheaf/db/drizzle';
import { type ApiKey, apiKeys, type User, users } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { KeySortField, SortOrder } from '@sheaf/vocabulary/sort-fields';

export interface NewApiKey {
  readonly userId: string;
  readonly name: string;
  readonly scope: readonly string[];
  readonly keyHash: string;
  readonly prefix: string;
  readonly expiresAt: Date;
}

export const createApiKey = async (db: Db, { scope, ...fields }: NewApiKey): Promise<ApiKey> => {
  const [row] = await db
    .insert(apiKeys)
    .values({ ...fields, id: uuidv7(), scope: [...scope] })
    .returning();
  if (row === undefined) throw new Error('insert returned no row');
  return row;
};

/** A key that is neither expired nor revoked, with its owner, unless they are disabled. */
export const findApiKey = async (db: Db, keyHash: string, now: Date): Promise<{ key: ApiKey; user: User } | undefined> => {
  const [row] = await db
    .select({ key: apiKeys, user: users })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(and(eq(apiKeys.keyHash, keyHash), isNull(apiKeys.revokedAt), gt(apiKeys.expiresAt, now), isNull(users.disabledAt)));
  return row;
};

/** Notes that the key was used, unless that was noted after `unlessAfter`. */
export const touchApiKey = async (db: Db, id: string, now: Date, unlessAfter: Date): Promise<void> => {
  await db
    .update(apiKeys)
    .set({ lastUsedAt: now })
    .where(and(eq(apiKeys.id, id), or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, unlessAfter))));
};

const liveKeysFor = (principal: Principal) =>
  and(ownedBy(scopeOf(principal.permissions, 'keys.read'), principal.userId, apiKeys.userId), isNull(apiKeys.revokedAt));

/** How keys are sorted. */
export interface KeyOrder {
  readonly sort: KeySortField;
  readonly order: SortOrder;
}

/** A key that was never used comes below any other. */
const SORT_KEYS = {
  created_at: { by: apiKeys.createdAt, type: 'timestamptz' },
  name: { by: sql`lower(${apiKeys.name})`, type: 'text' },
  expires_at: { by: apiKeys.expiresAt, type: 'timestamptz' },
  last_used_at: { by: apiKeys.lastUsedAt, type: 'timestamptz', mayBeMissing: true },
  id: { by: apiKeys.id, type: 'uuid' },
  prefix: { by: apiKeys.prefix, type: 'text' },
  owner: { by: sql`lower(${users.username})`, type: 'text' },
} as const satisfies Record<KeySortField, unknown>;

const keysetOf = ({ sort, order }: KeyOrder) => makeKeyset(order, [SORT_KEYS[sort], { by: apiKeys.id, type: 'uuid' }]);

/** One page of the keys that `principal` may read and that are not revoked, and how many there are. */
export const listApiKeys = async (
  db: Db,
  principal: Principal,
  { page, perPage, ...order }: KeyOrder & { readonly page: number; readonly perPage: number },
): Promise<{ rows: { key: ApiKey; username: string }[]; total: number }> => {
  const where = liveKeysFor(principal);
  const [rows, counted] = await Promise.all([
    db
      .select({ key: apiKeys, username: users.username })
      .from(apiKeys)
      .innerJoin(users, eq(users.id, apiKeys.userId))
      .where(where)
      .orderBy(keysetOf(order).order)
      .limit(perPage)
      .offset((page - 1) * perPage),
    db.select({ total: count() }).from(apiKeys).where(where),
  ]);
  return { rows, total: counted[0]?.total ?? 0 };
};

/** The keys that `principal` may read behind `after`, the newest first, at most `limit`. */
export const listApiKeysAfter = async (
  db: Db,
  principal: Principal,
  { after, limit, ...order }: CutRequest & KeyOrder,
): Promise<Cut<{ key: ApiKey; username: string }>> => {
  const keyset = keysetOf(order);
  const found = await db
    .select({ key: apiKeys, username: users.username, position: keyset.position })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(and(liveKeysFor(principal), keyset.behind(after)))
    .orderBy(keyset.order)
    .limit(limit + 1);
  return toCut(found, limit, ({ key, username }) => ({ key, username }));
};

/** Ends a key. Throws KEY_NOT_FOUND where there is none that `principal` may end. */
export const revokeApiKey = async (db: Db, principal: Principal, id: string, now: Date): Promise<ApiKey> => {
  const [row] = await db
    .update(apiKeys)
    .set({ revokedAt: now })
    .where(
      and(
        eq(apiKeys.id, id),
        isNull(apiKeys.revokedAt),
        ownedBy(scopeOf(principal.permissions, 'keys.delete'), principal.userId, apiKeys.userId),
      ),
    )
    .returning();
  if (row === undefined) throw codedError('NOT_FOUND', 'KEY_NOT_FOUND', { key_id: id });
  return row;
};

interface OldTokens {
  /** What distinguishes tokens from other keys. */
  readonly expiresAt: Date;
  readonly keep: number;
  readonly now: Date;
}

/** Ends the tokens of a user beyond `keep`, those that were made or used least lately; answers how many these were. */
export const revokeOldTokens = async (tx: Db, userId: string, { expiresAt, keep, now }: OldTokens): Promise<number> => {
  const areLive = and(eq(apiKeys.userId, userId), eq(apiKeys.expiresAt, expiresAt), isNull(apiKeys.revokedAt));
  const lately = sql`greatest(${apiKeys.createdAt}, ${apiKeys.lastUsedAt}) desc, ${apiKeys.id} desc`;
  const old = tx.select({ id: apiKeys.id }).from(apiKeys).where(areLive).orderBy(lately).offset(keep);
  const revoked = await tx.update(apiKeys).set({ revokedAt: now }).where(inArray(apiKeys.id, old)).returning({ id: apiKeys.id });
  return revoked.length;
};

/** Ends all keys and tokens of a user that are good still; answers how many these were. */
export const revokeKeysOf = async (tx: Db, userId: string, now: Date): Promise<number> => {
  const areLive = and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt), gt(apiKeys.expiresAt, now));
  return (await tx.update(apiKeys).set({ revokedAt: now }).where(areLive).returning({ id: apiKeys.id })).length;
};
