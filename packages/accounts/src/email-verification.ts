import { reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { and, count, eq, gt, sql } from '@sheaf/db/drizzle';
import { oneTimeTokens, type User, users } from '@sheaf/db/schema';
import type { Clock, Live, Logger } from '@sheaf/process';
import { createOneTimeToken, findOneTimeToken, hashToken, makeRandomToken } from './one-time-tokens.ts';
import { findUserByEmail, recordAudit } from './users/index.ts';

/**
 * How many tokens for `purpose` the user has that expire after `expiresAfter`. Locks the user, so that two callers at once count
 * each other's.
 */
export const countOneTimeTokens = async (tx: Db, purpose: string, userId: string, expiresAfter: Date): Promise<number> => {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update');
  const [row] = await tx
    .select({ total: count() })
    .from(oneTimeTokens)
    .where(and(eq(oneTimeTokens.purpose, purpose), eq(oneTimeTokens.userId, userId), gt(oneTimeTokens.expiresAt, expiresAfter)));
  return row?.total ?? 0;
};

/** Marks the address of the user as proven if it is still `email`; says whether it was not before. */
export const confirmEmail = async (
  tx: Db,
  userId: string,
  email: string,
  now: Date,
): Promise<{ user: User; isNew: boolean } | undefined> => {
  const [before] = await tx
    .select()
    .from(users)
    .where(and(eq(users.id, userId), sql`lower(${users.email}) = lower(${email})`))
    .for('no key update');
  if (before === undefined) return undefined;
  if (before.emailVerifiedAt !== null) return { user: before, isNew: false };
  await tx.update(users).set({ emailVerifiedAt: now, updatedAt: now }).where(eq(users.id, userId));
  return { user: { ...before, emailVerifiedAt: now }, isNew: true };
};

export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface EmailVerificationDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  /** Undefined where no mail server is named. */
  readonly sendMail: ((letter: Letter) => Promise<void>) | undefined;
  readonly isRequired: Live<boolean>;
  /** Without a slash at its end. */
  readonly publicUrl: string;
}

const PURPOSE = 'verify_email';
const HOUR_MS = 3_600_000;
const LIFE_HOURS = 24;
/** Nobody's mailbox is filled by whoever knows their address. */
const MAX_LETTERS_AN_HOUR = 3;

const letterTo = (user: User, link: string): Letter => ({
  to: user.email,
  subject: 'Confirm your e-mail address',
  text: [
    `Hello ${user.username},`,
    '',
    'Open this link within 24 hours to confirm your e-mail address:',
    '',
    link,
    '',
    'If you did not create an account, ignore this e-mail. The account cannot be used without the confirmation.',
    '',
  ].join('\n'),
});

/** Asks users to prove that their e-mail address is theirs. */
export class EmailVerification {
  readonly #deps: EmailVerificationDeps;
  readonly #sending = new Set<Promise<void>>();

  constructor(deps: EmailVerificationDeps) {
    this.#deps = deps;
  }

  get isRequired(): boolean {
    return this.#deps.isRequired.current();
  }

  /** Whether they may not sign in before they have confirmed their address. */
  isDue(user: User): boolean {
    return this.isRequired && user.authMethod === 'local' && user.emailVerifiedAt === null;
  }

  /**
   * Makes the token in the transaction of the change; what it answers sends the letter, and is to be called after the commit.
   * The letter leaves in the background: one that fails is logged and can be asked for again.
   */
  async prepare(tx: Db, user: User): Promise<() => void> {
    const { clock, publicUrl } = this.#deps;
    if (!this.isDue(user)) return () => {};
    const now = clock.now();
    // those of the last hour are those that live longest
    const recent = await countOneTimeTokens(tx, PURPOSE, user.id, new Date(now.getTime() + (LIFE_HOURS - 1) * HOUR_MS));
    if (recent >= MAX_LETTERS_AN_HOUR) return () => {};
    const token = makeRandomToken();
    await createOneTimeToken(tx, {
      purpose: PURPOSE,
      tokenHash: hashToken(token),
      userId: user.id,
      data: { email: user.email },
      expiresAt: new Date(now.getTime() + LIFE_HOURS * HOUR_MS),
    });
    const letter = letterTo(user, `${publicUrl}/verify-email?token=${token}`);
    return () => this.#send(letter, user.id);
  }

  /** Sends another letter, if there is somebody who needs one. It is not told whether there is. */
  async resend(email: string): Promise<void> {
    const { db } = this.#deps;
    const send = await db.transaction(async (tx) => {
      const user = await findUserByEmail(tx, email);
      return user === undefined || user.disabledAt !== null ? undefined : this.prepare(tx, user);
    });
    send?.();
  }

  /**
   * Takes the address for proven. Works until the token expires, as often as it comes: mail programs open links by themselves,
   * and the person who clicks afterwards should not be told that they failed.
   */
  async confirm(token: string, address: string | undefined): Promise<User> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    return db.transaction(async (tx) => {
      const found = await findOneTimeToken(tx, PURPOSE, hashToken(token), now);
      const email = found?.data['email'];
      const confirmed =
        typeof found?.userId === 'string' && typeof email === 'string' ? await confirmEmail(tx, found.userId, email, now) : undefined;
      if (confirmed === undefined) throw reasonedError('UNAUTHORIZED', 'link_invalid');
      if (confirmed.isNew) {
        await recordAudit(tx, {
          actor: { userId: confirmed.user.id, username: confirmed.user.username },
          address,
          action: 'user.email_verified',
          outcome: 'success',
          subject: { type: 'user', id: confirmed.user.id },
        });
      }
      return confirmed.user;
    });
  }

  /** Resolves when no letter is on its way. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending);
  }

  #send(letter: Letter, userId: string): void {
    const { sendMail, log } = this.#deps;
    if (sendMail === undefined) return;
    const sending = sendMail(letter)
      .catch((error: unknown) => log.error({ err: error, user_id: userId }, 'e-mail address confirmation not sent'))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }
}
