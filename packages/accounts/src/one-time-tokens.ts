import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '@sheaf/db';
import { and, eq, gt, inArray, lt, lte, sql } from '@sheaf/db/drizzle';
import { type OneTimeToken, oneTimeTokens } from '@sheaf/db/schema';
import type { Clock } from '@sheaf/process';

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

/** What is stored of a token: who reads the table cannot use what they find. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** 256 random bits as text that fits into URLs and cookies. */
export const makeRandomToken = (): string => randomBytes(32).toString('base64url');

const PURPOSE = 'download';
/** A browser fetches the link at once, and again where the connection broke. */
const LIFE_MS = 15 * 60_000;

/**
 * What a user has chosen to download, under a token that fits into a link: a browser saves only the answer to a link to the disk as it
 * comes. The token alone gives nothing: who follows the link has to be that user, and be signed in.
 */
export class DownloadTickets {
  readonly #db: Db;
  readonly #clock: Clock;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async create(userId: string, chosen: Readonly<Record<string, unknown>>): Promise<{ ticket: string; expiresAt: Date }> {
    const ticket = makeRandomToken();
    const expiresAt = new Date(this.#clock.now().getTime() + LIFE_MS);
    await createOneTimeToken(this.#db, { purpose: PURPOSE, tokenHash: hashToken(ticket), userId, data: chosen, expiresAt });
    return { ticket, expiresAt };
  }

  /** What `userId` has chosen; undefined where it was somebody else, or too long ago. */
  async find(ticket: string, userId: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const row = await findOneTimeToken(this.#db, PURPOSE, hashToken(ticket), this.#clock.now());
    return row?.userId === userId ? row.data : undefined;
  }
}
