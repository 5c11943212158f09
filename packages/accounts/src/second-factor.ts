import { makeIssue, validationError } from '@sheaf/contract';
import type { MfaProof } from '@sheaf/contract/identity';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import type { Clock } from '@sheaf/process';
import { ACTIONS, type ConfiguredRoles, permissionsOf, type RolePermissions, type Scope, scopeOf } from '@sheaf/vocabulary/permissions';
import type { Client } from './client.ts';
import type { AuthMethod } from './external-identity.ts';
import type { MfaService } from './mfa/service.ts';
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

  /** Whether they may do nothing but set up a second factor: one is demanded of them and their time is over. */
  async mustSetUp(user: User, method: AuthMethod): Promise<boolean> {
    if (!this.#isDemanded(user, method)) return false;
    const { clock, mfa, settings } = this.#deps;
    const since = user.mfaRequiredSince?.getTime() ?? clock.now().getTime();
    return since + settings.graceMs <= clock.now().getTime() && !(await mfa.hasEnabledDevice(user.id));
  }

  /** Their time begins when they are first seen. Choice: it is not given anew to who loses and regains the role. */
  async startGrace(user: User, method: AuthMethod): Promise<User> {
    if (!this.#isDemanded(user, method) || user.mfaRequiredSince !== null) return user;
    const now = this.#deps.clock.now();
    await updateUser(this.#deps.db, user.id, { mfaRequiredSince: now }, now);
    return { ...user, mfaRequiredSince: now }; // all else as it was when they proved themselves
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

const WEIGHT: Readonly<Record<Scope, number>> = { none: 0, own: 1, all: 2 };

/** Whether who has `role` may do everything. */
export const isAdminRole = (roles: RolePermissions, role: string): boolean => permissionsOf(roles, role).includes('*');

/** The roles whose users are administrators. */
export const adminRoles = (roles: RolePermissions): string[] => Object.keys(roles).filter((role) => isAdminRole(roles, role));

/** How much a role may do: the more, the stronger. Administrators are above all others. */
const strengthOf = (roles: RolePermissions, role: string): number =>
  isAdminRole(roles, role)
    ? Number.POSITIVE_INFINITY
    : ACTIONS.reduce((sum, action) => sum + WEIGHT[scopeOf(permissionsOf(roles, role), action)], 0);

export interface GroupRules {
  /** Its members are administrators. */
  readonly adminGroup: string | undefined;
  /** Role by group. */
  readonly mapping: Readonly<Record<string, string>>;
  /** For members of none of them. */
  readonly defaultRole: string;
}

/** The strongest role that any of `groups` gives. Groups are the same only when they are written the same. */
export const roleFromGroups = (
  roles: RolePermissions,
  groups: readonly string[],
  { adminGroup, mapping, defaultRole }: GroupRules,
): string => {
  if (adminGroup !== undefined && groups.includes(adminGroup)) return 'admin';
  const mapped = groups
    .flatMap((group) => (Object.hasOwn(mapping, group) ? [mapping[group] ?? ''] : []))
    .filter((role) => Object.hasOwn(roles, role));
  return mapped.toSorted((a, b) => strengthOf(roles, b) - strengthOf(roles, a) || (a < b ? -1 : 1))[0] ?? defaultRole;
};

/** Throws VALIDATION_ERROR naming the roles that exist. */
export const requireKnownRole = (roles: RolePermissions, role: string): void => {
  if (Object.hasOwn(roles, role)) return;
  const known = Object.keys(roles);
  throw validationError(`The role "${role}" does not exist. Available roles: ${known.join(', ')}.`, {
    issues: [makeIssue('role', 'no_such_role', { values: known })],
  });
};
