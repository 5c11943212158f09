import type { Db } from '@sheaf/db';
import { and, eq, gt, inArray, lt, lte, sql } from '@sheaf/db/drizzle';
import { type OneTimeToken, oneTimeTokens } from '@sheaf/db/schema';

export interface NewOneTimeToken {
  /** What it is for, such as `oidc_state`; the same token under another purpose is another token. */
  readonly purpose: string;
  readonly tokenHash: string;
  readonly userId?: string | undefined;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly expiresAt: Date;
}

const isIt = (purpose: string, tokenHash: string) => and(eq(oneTimeTokens.purpose, purpose), eq(oneTimeTokens.tokenHash, tokenHash));

/** A statement takes 65,535 parameters. */
const ROWS_AT_ONCE = 5_000;

export const createOneTimeTokens = async (db: Db, tokens: readonly NewOneTimeToken[]): Promise<void> => {
  const rows = tokens.map(({ purpose, tokenHash, userId, data, expiresAt }) => ({
    purpose,
    tokenHash,
    userId: userId ?? null,
    data: data ?? {},
    expiresAt,
  }));
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) await db.insert(oneTimeTokens).values(rows.slice(from, from + ROWS_AT_ONCE));
};

export const createOneTimeToken = (db: Db, token: NewOneTimeToken): Promise<void> => createOneTimeTokens(db, [token]);

/** The token as long as it is valid; it stays. */
export const findOneTimeToken = async (db: Db, purpose: string, tokenHash: string, now: Date): Promise<OneTimeToken | undefined> => {
  const [row] = await db
    .select()
    .from(oneTimeTokens)
    .where(and(isIt(purpose, tokenHash), gt(oneTimeTokens.expiresAt, now)));
  return row;
};

/** The token, which works no more after this. Of several callers at once exactly one gets it. */
export const takeOneTimeToken = async (db: Db, purpose: string, tokenHash: string, now: Date): Promise<OneTimeToken | undefined> => {
  const [row] = await db
    .delete(oneTimeTokens)
    .where(and(isIt(purpose, tokenHash), gt(oneTimeTokens.expiresAt, now)))
    .returning();
  return row;
};

/**
 * Counts one more attempt with the token and tells whether it may still be made: `max` of them are. False also where there is no
 * such token. Counted before the proof is looked at, so that attempts made at the same time count each.
 */
export const countAttempt = async (db: Db, purpose: string, tokenHash: string, max: number): Promise<boolean> => {
  const rows = await db
    .update(oneTimeTokens)
    .set({ attempts: sql`${oneTimeTokens.attempts} + 1` })
    .where(and(isIt(purpose, tokenHash), lt(oneTimeTokens.attempts, max)))
    .returning({ attempts: oneTimeTokens.attempts });
  return rows.length > 0;
};

/** Whether this is the first time that `hash` comes; it is remembered until `expiresAt`, after which it must be refused by its own age. */
export const recordOnce = async (db: Db, purpose: string, hash: string, expiresAt: Date): Promise<boolean> => {
  const rows = await db
    .insert(oneTimeTokens)
    .values({ purpose, tokenHash: hash, expiresAt })
    .onConflictDoNothing()
    .returning({ tokenHash: oneTimeTokens.tokenHash });
  return rows.length > 0;
};

/** Makes all tokens of these users for `purpose` invalid. */
export const deleteOneTimeTokensOf = async (db: Db, purpose: string, userIds: readonly string[]): Promise<void> => {
  await db.delete(oneTimeTokens).where(and(eq(oneTimeTokens.purpose, purpose), inArray(oneTimeTokens.userId, [...userIds])));
};

export const deleteExpiredOneTimeTokens = async (db: Db, now: Date): Promise<number> => {
  const rows = await db.delete(oneTimeTokens).where(lte(oneTimeTokens.expiresAt, now)).returning({ purpose: oneTimeTokens.purpose });
  return rows.length;
};
