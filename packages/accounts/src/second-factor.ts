import type { MfaProof } from '@sheaf/contract/identity';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import type { Clock } from '@sheaf/process';
import type { ConfiguredRoles } from '@sheaf/vocabulary/permissions';
import type { Client } from './client.ts';
import type { AuthMethod } from './external-identity.ts';
import type { MfaService } from './mfa/service.ts';
import { isAdminRole } from './roles.ts';
import { updateUser } from './users/index.ts';

export interface SecondFactorDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly mfa: MfaService;
  readonly settings: {
    readonly roles: ConfiguredRoles;
    readonly enforceForAdmins: boolean;
    /** How long an administrator may do without. */
    readonly graceMs: number;
  };
}

/** Ways in that carry a password to us. Identity providers ask for a second factor themselves. */
const hasPassword = (method: AuthMethod): boolean => method === 'local' || method === 'ldap';

/** Of whom a second factor is asked, and when. */
export class SecondFactor {
  readonly #deps: SecondFactorDeps;

  constructor(deps: SecondFactorDeps) {
    this.#deps = deps;
  }

  /** Whether a sign-in has to go on with a second step. */
  async isDue(user: User, method: AuthMethod): Promise<boolean> {
    return hasPassword(method) && (await this.#deps.mfa.hasEnabledDevice(user.id));
  }

  /** Whether he may do nothing but set up a second factor: one is demanded of him and his time is over. */
  async mustSetUp(user: User, method: AuthMethod): Promise<boolean> {
    if (!this.#isDemanded(user, method)) return false;
    const { clock, mfa, settings } = this.#deps;
    const since = user.mfaRequiredSince?.getTime() ?? clock.now().getTime();
    return since + settings.graceMs <= clock.now().getTime() && !(await mfa.hasEnabledDevice(user.id));
  }

  /** His time begins when he is first seen. Choice: it is not given anew to who loses and regains the role. */
  async startGrace(user: User, method: AuthMethod): Promise<User> {
    if (!this.#isDemanded(user, method) || user.mfaRequiredSince !== null) return user;
    const now = this.#deps.clock.now();
    await updateUser(this.#deps.db, user.id, { mfaRequiredSince: now }, now);
    return { ...user, mfaRequiredSince: now }; // all else as it was when he proved himself
  }

  methodsOf(user: User): Promise<readonly string[]> {
    return this.#deps.mfa.methodsOf(user);
  }

  async verify(user: User, proof: MfaProof, client: Client): Promise<string | undefined> {
    return this.#deps.mfa.verify(user, proof, client);
  }

  #isDemanded(user: User, method: AuthMethod): boolean {
    const { mfa, settings } = this.#deps;
    return settings.enforceForAdmins && mfa.isEnabled && hasPassword(method) && isAdminRole(settings.roles.permissions, user.role);
  }
}
