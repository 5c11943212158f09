import type { Db } from '@sheaf/db';
import type { Clock } from '@sheaf/process';
import { hashToken, makeRandomToken } from './one-time-tokens.ts';
import { createOneTimeToken, findOneTimeToken } from './queries/one-time-tokens.ts';

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
