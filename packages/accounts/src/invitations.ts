import { type AppError, reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import type { Clock, Live, Logger } from '@sheaf/process';
import type { Letter } from './email-verification.ts';
import { hashToken, makeRandomToken } from './one-time-tokens.ts';
import { hashPassword } from './password.ts';
import { type PasswordPolicy, requireGoodPassword } from './password-policy.ts';
import { createOneTimeTokens, deleteOneTimeTokensOf, findOneTimeToken, takeOneTimeToken } from './queries/one-time-tokens.ts';
import { findUserById, recordAudit, setPassword } from './users/index.ts';

export interface InvitationDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly passwordPolicy: Live<PasswordPolicy>;
  readonly log: Logger;
  /** Undefined where no mail server is named. */
  readonly sendMail: ((letter: Letter) => Promise<void>) | undefined;
}

const PURPOSE = 'invitation';
// Choice: a week, so that one sent before a weekend still works after it.
const LIFE_MS = 7 * 24 * 3_600_000;

const letterTo = ({ email, username }: Pick<User, 'email' | 'username'>, link: string): Letter => ({
  to: email,
  subject: 'Invitation to Sheaf',
  text: [`Hello ${username},`, '', 'Open this link within 7 days to choose your password:', '', link, ''].join('\n'),
});

const notValid = (): AppError => reasonedError('UNAUTHORIZED', 'invitation_invalid');

/** Lets a user who was made without a password set his first one. */
export class Invitations {
  readonly #deps: InvitationDeps;

  constructor(deps: InvitationDeps) {
    this.#deps = deps;
  }

  /** The token is told once and not kept; one that was given before works no more. */
  async invite(tx: Db, userId: string): Promise<{ token: string; expiresAt: Date }> {
    const [invitation] = await this.inviteAll(tx, [userId]);
    if (invitation === undefined) throw new Error('a user was invited without an invitation');
    return invitation;
  }

  /** The same for many users, in their order. */
  async inviteAll(tx: Db, userIds: readonly string[]): Promise<{ userId: string; token: string; expiresAt: Date }[]> {
    await deleteOneTimeTokensOf(tx, PURPOSE, userIds);
    const expiresAt = new Date(this.#deps.clock.now().getTime() + LIFE_MS);
    const invitations = userIds.map((userId) => ({ userId, token: makeRandomToken(), expiresAt }));
    await createOneTimeTokens(
      tx,
      invitations.map(({ userId, token }) => ({ purpose: PURPOSE, tokenHash: hashToken(token), userId, expiresAt })),
    );
    return invitations;
  }

  /** Sends the link to the user, where mail can be sent; false where it cannot. */
  async send({ email, username }: Pick<User, 'email' | 'username'>, link: string): Promise<boolean> {
    const { sendMail, log } = this.#deps;
    if (sendMail === undefined) return false;
    try {
      await sendMail(letterTo({ email, username }, link));
      return true;
    } catch (error) {
      log.warn({ err: error, username }, 'invitation not sent');
      return false;
    }
  }

  /** Sets the first password. A password that is refused does not use the invitation up. */
  async accept(token: string, password: string, address: string | undefined): Promise<void> {
    const { db, clock, passwordPolicy } = this.#deps;
    const tokenHash = hashToken(token);
    const userId = (await findOneTimeToken(db, PURPOSE, tokenHash, clock.now()))?.userId;
    const user = typeof userId === 'string' ? await findUserById(db, userId) : undefined;
    if (user === undefined || user.disabledAt !== null) throw notValid();
    requireGoodPassword(password, passwordPolicy.current(), user);
    const passwordHash = await hashPassword(password);
    await db.transaction(async (tx) => {
      const now = clock.now();
      const taken = await takeOneTimeToken(tx, PURPOSE, tokenHash, now);
      if (taken === undefined || !(await setPassword(tx, user.id, null, passwordHash, now))) throw notValid();
      await recordAudit(tx, {
        actor: { userId: user.id, username: user.username },
        address,
        action: 'password.changed',
        outcome: 'success',
        subject: { type: 'user', id: user.id },
        details: { by: 'invitation' },
      });
    });
  }
}
