import { type AppError, codedError, type Issue, makeIssue, validationError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import type { Clock, Live } from '@sheaf/process';
import { hashPassword } from './password.ts';
import { revokeKeysOf } from './queries/api-keys.ts';
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
   * were revoked. `find` answers them where they may be given one; it is asked again in the
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

/** What a change of a user does to what they are signed in with. */
export interface SessionEnd {
  /** Ends their sessions but for one, in the transaction of the change. */
  endAll(tx: Db, userId: string, exceptSessionId?: string): Promise<void>;
  /** After the commit: nothing that was remembered of them holds any more. */
  forget(userId: string): void;
}

export interface PasswordPolicy {
  readonly minLength: number;
  readonly requireSpecial: boolean;
  readonly requireNumbers: boolean;
}

/** Whose password it is to be. */
interface PasswordOwner {
  readonly username: string;
  readonly email: string;
}

/** argon2 reads all of it, so there has to be an end. */
const MAX_PASSWORD_CHARACTERS = 1_024;

/** Characters as people count them. */
const lengthOf = (password: string): number => Array.from(password).length;

/** Compared as they will be hashed, the case aside. */
const isSame = (password: string, text: string): boolean =>
  password.normalize('NFKC').toLowerCase() === text.normalize('NFKC').toLowerCase();

/** Everything that is wrong with `password`, in words that follow "The password". Empty when it is good. `path` is the field of the request. */
export const passwordFaults = (
  password: string,
  { minLength, requireNumbers, requireSpecial }: PasswordPolicy,
  { username, email }: PasswordOwner,
  path = 'password',
): Issue[] => {
  const [minimum, maximum] = [minLength, MAX_PASSWORD_CHARACTERS];
  const rules = [
    [lengthOf(password) < minimum, 'too_short', { minimum }],
    [lengthOf(password) > maximum, 'too_long', { maximum }],
    [requireNumbers && !/\p{Nd}/u.test(password), 'no_digit'],
    [requireSpecial && !/[^\p{L}\p{N}\p{M}]/u.test(password), 'no_special_character'],
    // Choice: not asked for by the specification, and the first thing anyone tries
    [isSame(password, username) || isSame(password, email), 'same_as_user'],
  ] as const;
  return rules.filter(([isBroken]) => isBroken).map(([, code, details]) => makeIssue(path, code, details));
};

/** Throws VALIDATION_ERROR with one issue for each fault. `path` is the field of the request. */
export const requireGoodPassword = (password: string, policy: PasswordPolicy, owner: PasswordOwner, path = 'password'): void => {
  const issues = passwordFaults(password, policy, owner, path);
  if (issues.length === 0) return;
  throw validationError(`The password ${issues.map(({ message }) => message).join(' and ')}.`, { issues });
};
