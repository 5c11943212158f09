import { type AppError, codedError, type Issue, reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import { type Clock, type Live, type Logger, select } from '@sheaf/process';
import type { ConfiguredRoles, Principal } from '@sheaf/vocabulary/permissions';
import type { Client } from './client.ts';
import { EmailVerification, type Letter } from './email-verification.ts';
import { GivenPassword, type PasswordPolicy, passwordFaults, requireGoodPassword, type SessionEnd } from './given-password.ts';
import { Lockout, type LockoutSettings } from './lockout.ts';
import {
  createOneTimeTokens,
  deleteOneTimeTokensOf,
  findOneTimeToken,
  hashToken,
  makeRandomToken,
  takeOneTimeToken,
} from './one-time-tokens.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { revokeKeysOf } from './queries/api-keys.ts';
import { Registration, type RegistrationSettings } from './registration.ts';
import { adminRoles } from './second-factor.ts';
import { type Audit, type AuditEntry, findUserById, recordAudit, setPassword } from './users/index.ts';

export interface AccountsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly mail: AccountMail;
  readonly sessions: SessionEnd;
  /** Writes the audit log, and may tell users of what concerns them; the log alone where none is given. */
  readonly audit?: Audit;
  readonly roles: ConfiguredRoles;
  readonly settings: Live<AccountSettings>;
}

/** How users get letters with links into the service. */
interface AccountMail {
  /** Undefined where no mail server is named. */
  readonly send: ((letter: Letter) => Promise<void>) | undefined;
  /** Without a slash at its end. */
  readonly publicUrl: string;
}

export interface AccountSettings extends RegistrationSettings {
  readonly emailVerificationRequired: boolean;
  readonly lockout: LockoutSettings;
}

/** What users' accounts are made and changed with. */
export interface Accounts {
  readonly roles: ConfiguredRoles;
  /** The roles of administrators, which the database can neither add nor take away. */
  readonly adminRoles: readonly string[];
  readonly passwordPolicy: Live<PasswordPolicy>;
  readonly lockout: Lockout;
  readonly registration: Registration;
  readonly invitations: Invitations;
  readonly emailVerification: EmailVerification;
  readonly ownPassword: OwnPassword;
  readonly givenPassword: GivenPassword;
  readonly sessions: SessionEnd;
}

export const makeAccounts = (deps: AccountsDeps): Accounts => {
  const { db, clock, log, mail, sessions, roles, settings, audit = recordAudit } = deps;
  const passwordPolicy = select(settings, (current) => current.passwordPolicy);
  const emailVerification = new EmailVerification({
    db,
    clock,
    log,
    sendMail: mail.send,
    isRequired: select(settings, ({ emailVerificationRequired }) => emailVerificationRequired),
    publicUrl: mail.publicUrl,
  });
  const lockout = new Lockout({ db, clock, settings: select(settings, (current) => current.lockout) });
  return {
    roles,
    adminRoles: adminRoles(roles.permissions),
    passwordPolicy,
    lockout,
    registration: new Registration({
      db,
      clock,
      log,
      emailVerification,
      roles,
      settings,
    }),
    invitations: new Invitations({ db, clock, log, passwordPolicy, sendMail: mail.send }),
    emailVerification,
    ownPassword: new OwnPassword({ db, clock, lockout, sessions, passwordPolicy, audit }),
    givenPassword: new GivenPassword({ db, clock, sessions, passwordPolicy, audit }),
    sessions,
  };
};

interface OwnPasswordDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly lockout: Lockout;
  readonly sessions: SessionEnd;
  readonly passwordPolicy: Live<PasswordPolicy>;
  readonly audit: Audit;
}

interface PasswordChange {
  readonly current: string;
  readonly wanted: string;
  /** Whether the API keys and app tokens of the user end as well. */
  readonly revokesKeys: boolean;
}

/** `issues` are what is wrong with the new one besides. */
const wrongPassword = (issues: readonly Issue[] = []): AppError =>
  codedError('FORBIDDEN', 'CURRENT_PASSWORD_WRONG', issues.length === 0 ? {} : { issues });

/** Changes the password of who asks. */
class OwnPassword {
  readonly #deps: OwnPasswordDeps;

  constructor(deps: OwnPasswordDeps) {
    this.#deps = deps;
  }

  /**
   * All other sessions of the user end with it. Wrong current passwords count as failed sign-ins do, so that a session that was
   * left open is no way to guess the password. Answers how many keys were revoked.
   */
  async change(principal: Principal, { current, wanted, revokesKeys }: PasswordChange, client: Client): Promise<number> {
    const { db, clock, passwordPolicy, sessions } = this.#deps;
    if (principal.sessionId === undefined) throw reasonedError('FORBIDDEN', 'not_with_a_key');
    const user = await findUserById(db, principal.userId);
    if (user?.authMethod !== 'local' || user.passwordHash === null) {
      throw reasonedError('FORBIDDEN', 'own_password_elsewhere');
    }
    const before = user.passwordHash;
    const policy = passwordPolicy.current();
    await this.#requireCurrent(user, current, client, passwordFaults(wanted, policy, user, 'new_password'));
    requireGoodPassword(wanted, policy, user, 'new_password');
    const passwordHash = await hashPassword(wanted);
    const revokedKeys = await db.transaction(async (tx) => {
      if (!(await setPassword(tx, user.id, before, passwordHash, clock.now()))) throw wrongPassword();
      await sessions.endAll(tx, user.id, principal.sessionId);
      const revoked = revokesKeys ? await revokeKeysOf(tx, user.id, clock.now()) : 0;
      await this.#deps.audit(tx, { ...entryFor(user, client.address, 'success'), details: { revoked_keys: revoked } });
      return revoked;
    });
    sessions.forget(user.id);
    return revokedKeys;
  }

  async #requireCurrent(user: User, current: string, client: Client, issues: readonly Issue[]): Promise<void> {
    const { db, lockout } = this.#deps;
    const isOpen = await lockout.check(user.username, client);
    const isRight = (await verifyPassword(current, user.passwordHash)) && isOpen;
    if (isRight && (await lockout.succeeded(user.username, client))) return;
    if (!isRight) await lockout.failed(user.username, client);
    await recordAudit(db, entryFor(user, client.address, 'failure'));
    throw wrongPassword(issues);
  }
}

const entryFor = (user: User, address: string | undefined, outcome: AuditEntry['outcome']): AuditEntry => ({
  actor: { userId: user.id, username: user.username },
  address,
  action: 'password.changed',
  outcome,
  subject: { type: 'user', id: user.id },
});

interface InvitationDeps {
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

/** Lets a user who was made without a password set their first one. */
class Invitations {
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
