import { makeIssue, validationError } from '@sheaf/contract';
import { ACTIONS, permissionsOf, type RolePermissions, type Scope, scopeOf } from '@sheaf/vocabulary/permissions';

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
