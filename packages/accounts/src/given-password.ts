import { type AppError, codedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import type { Clock, Live } from '@sheaf/process';
import { hashPassword } from './password.ts';
import { type PasswordPolicy, requireGoodPassword } from './password-policy.ts';
import { revokeKeysOf } from './queries/api-keys.ts';
import type { SessionEnd } from './session-end.ts';
import { type Audit, type AuditEntry, setPassword } from './users/index.ts';

export interface GivenPasswordDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly sessions: SessionEnd;
  readonly passwordPolicy: Live<PasswordPolicy>;
  readonly audit: Audit;
}

/** Who gives it, as the audit log is told. */
export type Giver = Pick<AuditEntry, 'actor' | 'address'> & {
  readonly by: 'administrator' | 'command';
  /** Whether the API keys and app tokens of the user end as well. */
  readonly revokesKeys: boolean;
};

const keptElsewhere = ({ authMethod }: User): AppError =>
  codedError('DUPLICATE_RESOURCE', 'PASSWORD_KEPT_ELSEWHERE', { auth_method: authMethod });

const changedMeanwhile = (): AppError => codedError('DUPLICATE_RESOURCE', 'PASSWORD_CHANGED_MEANWHILE');

/** Gives users another password who have lost theirs. */
export class GivenPassword {
  readonly #deps: GivenPasswordDeps;

  constructor(deps: GivenPasswordDeps) {
    this.#deps = deps;
  }

  /**
   * All sessions of the user end with it, and where that is wanted the API keys and app tokens; second factors stay. Answers how many keys
   * were revoked. `find` answers him where he may be given one; it is asked again in the
   * transaction of the change, as making a hash takes a while. Throws VALIDATION_ERROR for a password that breaks the
   * rules, PASSWORD_KEPT_ELSEWHERE for a user from an identity provider.
   */
  async give(find: (tx: Db) => Promise<User>, wanted: string, { by, actor, address, revokesKeys }: Giver): Promise<number> {
    const { db, clock, sessions, passwordPolicy, audit } = this.#deps;
    const user = await db.transaction(find);
    if (user.authMethod !== 'local') throw keptElsewhere(user);
    requireGoodPassword(wanted, passwordPolicy.current(), user, 'new_password');
    const passwordHash = await hashPassword(wanted);
    const revokedKeys = await db.transaction(async (tx) => {
      await find(tx);
      if (!(await setPassword(tx, user.id, user.passwordHash, passwordHash, clock.now()))) throw changedMeanwhile();
      await sessions.endAll(tx, user.id);
      const revoked = revokesKeys ? await revokeKeysOf(tx, user.id, clock.now()) : 0;
      const subject = { type: 'user', id: user.id };
      await audit(tx, { actor, address, action: 'password.changed', outcome: 'success', subject, details: { by, revoked_keys: revoked } });
      return revoked;
    });
    sessions.forget(user.id);
    return revokedKeys;
  }
}
