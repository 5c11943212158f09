import { type AppError, codedError, type Issue, reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import type { Clock, Live } from '@sheaf/process';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { Client } from './client.ts';
import type { Lockout } from './lockout.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { type PasswordPolicy, passwordFaults, requireGoodPassword } from './password-policy.ts';
import { revokeKeysOf } from './queries/api-keys.ts';
import type { SessionEnd } from './session-end.ts';
import { type Audit, type AuditEntry, findUserById, recordAudit, setPassword } from './users/index.ts';

export interface OwnPasswordDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly lockout: Lockout;
  readonly sessions: SessionEnd;
  readonly passwordPolicy: Live<PasswordPolicy>;
  readonly audit: Audit;
}

export interface PasswordChange {
  readonly current: string;
  readonly wanted: string;
  /** Whether the API keys and app tokens of the user end as well. */
  readonly revokesKeys: boolean;
}

/** `issues` are what is wrong with the new one besides. */
const wrongPassword = (issues: readonly Issue[] = []): AppError =>
  codedError('FORBIDDEN', 'CURRENT_PASSWORD_WRONG', issues.length === 0 ? {} : { issues });

/** Changes the password of who asks. */
export class OwnPassword {
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
