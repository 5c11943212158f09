import { AppError } from '@sheaf/contract';
import { makeProblem, problemOf, type ServiceProblem } from '@sheaf/contract/operations';
import { type Db, readRoles } from '@sheaf/db';
import { englishMessage } from '@sheaf/messages/english';
import type { Live } from '@sheaf/process';
import type { ConfiguredRoles } from '@sheaf/vocabulary/permissions';
import type { Client } from './client.ts';
import type { AuthMethod, PasswordDriver } from './external-identity.ts';
import type { Lockout } from './lockout.ts';
import { verifyPassword } from './password.ts';
import { type GroupRules, roleFromGroups } from './second-factor.ts';
import { findUserByLogin, recordAudit } from './users/index.ts';

/** Who a name and a password belong to, as one sign-in method says. */
export interface CheckedUser {
  readonly username: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly groups: readonly string[];
  /** The one they would have after signing in. */
  readonly role: string;
}

/** For the administrator who sets this up: whether it works, and what is wrong. */
export interface SignInReport extends ServiceProblem {
  readonly success: boolean;
  readonly user?: CheckedUser;
}

export interface SignInCheckDeps {
  readonly db: Db;
  readonly lockout: Lockout;
  /** Also where users do not sign in by it yet: that is when it has to be tried. */
  readonly ldap: PasswordDriver | undefined;
  readonly settings: { readonly roles: ConfiguredRoles; readonly ldapRules: Live<GroupRules> };
}

interface By {
  readonly userId: string;
  readonly username: string;
}

const WRONG: SignInReport = {
  success: false,
  code: 'wrong_credentials',
  message: englishMessage('errors.wrong_credentials'),
  details: {},
};

/** Tries a name and a password without signing anybody in. Wrong ones count as wrong sign-ins do, or this would be a way to guess. */
export class SignInCheck {
  readonly #deps: SignInCheckDeps;

  constructor(deps: SignInCheckDeps) {
    this.#deps = deps;
  }

  /** Throws ACCOUNT_LOCKED as a sign-in does. */
  async run(method: AuthMethod, username: string, password: string, by: By, client: Client): Promise<SignInReport> {
    const { db, lockout } = this.#deps;
    const isOpen = await lockout.check(username, client);
    const found = await this.#ask(method, username, password);
    // looked at again, as many attempts at once all come by before the first of them has failed
    const isRight = found.success && isOpen && (await lockout.succeeded(username, client));
    const report = isRight || !found.success ? found : WRONG;
    if (report === WRONG) await lockout.failed(username, client);
    await recordAudit(db, {
      actor: by,
      address: client.address,
      action: 'sign_in.test',
      outcome: report.success ? 'success' : 'failure',
      details: { method, username },
    });
    return report;
  }

  #ask(method: AuthMethod, username: string, password: string): Promise<SignInReport> {
    switch (method) {
      case 'local':
        return this.#askLocal(username, password);
      case 'ldap':
        return this.#askDirectory(username, password);
      case 'oidc':
      case 'saml2':
        return Promise.resolve({ success: false, ...makeProblem('sign_in_test_in_browser', { method }) });
    }
  }

  async #askLocal(username: string, password: string): Promise<SignInReport> {
    const user = await findUserByLogin(this.#deps.db, username);
    const isRight = await verifyPassword(password, user?.passwordHash);
    if (user === undefined || !isRight) return WRONG;
    if (user.disabledAt !== null) return { success: false, ...makeProblem('sign_in_test_user_disabled') };
    const { email, displayName, externalGroups, role } = user;
    return {
      success: true,
      ...makeProblem('sign_in_test_password_correct'),
      user: { username: user.username, email, name: displayName, groups: externalGroups, role },
    };
  }

  async #askDirectory(username: string, password: string): Promise<SignInReport> {
    const { db, ldap, settings } = this.#deps;
    if (ldap === undefined) return { success: false, ...makeProblem('ldap_not_configured') };
    try {
      const identity = await ldap.check(username, password);
      if (identity === undefined) return WRONG;
      const { email = null, displayName = null, groups } = identity;
      const role = roleFromGroups(await readRoles(db, settings.roles), groups, settings.ldapRules.current());
      return {
        success: true,
        ...makeProblem('ldap_sign_in_accepted'),
        user: { username: identity.username ?? username, email, name: displayName, groups, role },
      };
    } catch (error) {
      if (error instanceof AppError && error.kind === 'SERVICE_UNAVAILABLE')
        return { success: false, ...problemOf(error, 'ldap_unreachable') };
      throw error;
    }
  }
}
