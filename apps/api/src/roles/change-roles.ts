import type { Identity } from '@sheaf/accounts';
import { type AuditEntry, countUsersByRole, countUsersOf, recordAuditEntries, writeRoles } from '@sheaf/accounts/users';
import { type Issue, invalidInput, makeIssue, reasonedError, toPagination } from '@sheaf/contract';
import { type RoleBody, type RoleListQuery, type RoleRequest, type RolesBody, roleListQuery } from '@sheaf/contract/users';
import { type Database, type Db, readRoles, readRolesToChange } from '@sheaf/db';
import {
  BUILT_IN_ROLES,
  type ConfiguredRoles,
  isBuiltInRole,
  KNOWN_PERMISSIONS,
  type Principal,
  ROLES,
  type RolePermissions,
} from '@sheaf/vocabulary/permissions';
import type { RoleSortField } from '@sheaf/vocabulary/sort-fields';
import { pageOf, sortRows } from '../http/list-route.ts';

/** Who changes roles, and from where. */
interface Changer {
  readonly principal: Principal;
  readonly address: string | undefined;
  readonly requireMatch: (tx: Db) => Promise<void>;
}

/** Every permission once; `*` alone where it is among them. */
const normalise = (permissions: readonly string[]): readonly string[] => (permissions.includes('*') ? ['*'] : [...new Set(permissions)]);

/** A name that differs from another one by the case of its letters alone would be taken for it. */
const repeatedNames = (wanted: readonly RoleRequest[]): Issue[] => {
  const names = wanted.map(({ name }) => name.toLowerCase());
  return names.flatMap((name, n) => (names.indexOf(name) === n ? [] : [makeIssue(`roles.${n}.name`, 'role_twice')]));
};

/**
 * Choice: `*` is admin's alone. So nobody can lose the last administrator by a change of roles, and a role that accounts get which are
 * created automatically never becomes one of administrators.
 */
const misplacedAll = (wanted: readonly RoleRequest[]): Issue[] =>
  wanted.flatMap(({ name, permissions }, n) => {
    const hasAll = permissions.includes('*');
    if (hasAll === (name === 'admin')) return [];
    return [makeIssue(`roles.${n}.permissions`, hasAll ? 'all_for_admin_only' : 'admin_keeps_all')];
  });

const missingBuiltIn = (wanted: readonly RoleRequest[]): Issue[] => {
  const missing = ROLES.filter((role) => !wanted.some(({ name }) => name === role));
  return missing.length === 0 ? [] : [makeIssue('roles', 'built_in_role_missing', { values: missing })];
};

const refuse = (issues: readonly Issue[]): void => {
  if (issues.length > 0) throw invalidInput('body', issues);
};

const requireUnused = async (tx: Db, removed: readonly string[]): Promise<void> => {
  if (removed.length === 0) return;
  for (const [role, userCount] of await countUsersOf(tx, removed))
    throw reasonedError('DUPLICATE_RESOURCE', 'role_in_use', { role, user_count: userCount });
};

/** A change of one role: its permissions before and after, where there were or are any. */
interface RoleChange {
  readonly name: string;
  readonly before: readonly string[] | undefined;
  readonly after: readonly string[] | undefined;
}

const changesOf = (before: RolePermissions, after: RolePermissions): RoleChange[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((name) => ({ name, before: before[name], after: after[name] }))
    .filter((change) => change.before === undefined || change.after === undefined || !haveSame(change.before, change.after));

/** What is to be stored of a role: nothing where it is gone, or a built-in one as it was originally. */
const toStore = ({ name, after }: RoleChange): readonly string[] | undefined =>
  after !== undefined && isBuiltInRole(name) && haveSame(after, BUILT_IN_ROLES[name]) ? undefined : after;

const toEntry = ({ name, before, after }: RoleChange): Pick<AuditEntry, 'action' | 'subject' | 'details'> => ({
  action: before === undefined ? 'role.created' : after === undefined ? 'role.deleted' : 'role.changed',
  subject: { type: 'role', id: name },
  details: { old: before ?? null, new: after ?? null },
});

/**
 * Makes `wanted` all the roles there are, with an entry of the audit log for each that becomes another one. Throws VALIDATION_ERROR with
 * `issues` where the roles would not be valid, DUPLICATE_RESOURCE where a user has a role that is missing, and as `requireMatch` does once
 * the roles are locked.
 */
export const changeRoles = async (
  tx: Db,
  configured: ConfiguredRoles,
  wanted: readonly RoleRequest[],
  { principal, address, requireMatch }: Changer,
): Promise<void> => {
  const before = await readRolesToChange(tx, configured);
  await requireMatch(tx);
  refuse([...repeatedNames(wanted), ...misplacedAll(wanted), ...missingBuiltIn(wanted)]);
  const after = Object.fromEntries(wanted.map(({ name, permissions }) => [name, normalise(permissions)]));
  const changes = changesOf(before, after);
  await requireUnused(
    tx,
    changes.filter((change) => change.after === undefined).map(({ name }) => name),
  );
  if (changes.length === 0) return;
  await writeRoles(tx, new Map(changes.map((change) => [change.name, toStore(change)])));
  const { userId, username } = principal;
  await recordAuditEntries(
    tx,
    changes.map((change) => ({ actor: { userId, username }, address, outcome: 'success', ...toEntry(change) })),
  );
};

/** Whether both lists hold the same permissions, in whatever order. */
const haveSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.every((one) => others.includes(one)) && others.every((one) => some.includes(one));

const isChanged = (name: string, permissions: readonly string[]): boolean =>
  isBuiltInRole(name) && !haveSame(permissions, BUILT_IN_ROLES[name]);

const toRoleBodies = (roles: RolePermissions, userCounts: ReadonlyMap<string, number>): RoleBody[] =>
  Object.entries(roles).map(([name, permissions]) => ({
    name,
    is_built_in: isBuiltInRole(name),
    is_changed: isChanged(name, permissions),
    permissions: [...permissions],
    user_count: userCounts.get(name) ?? 0,
  }));

const ALL_ROLES = roleListQuery.parse({});

/** The roles as they are now, with the number of those users that `principal` may read. */
export const readRolesBody = async (
  db: Db,
  { configured }: RoleServices,
  principal: Principal,
  query: RoleListQuery = ALL_ROLES,
): Promise<RolesBody> => {
  const [roles, userCounts] = [await readRoles(db, configured), await countUsersByRole(db, principal)];
  const all = toRoleBodies(roles, userCounts);
  const { sort, order } = query;
  const sorted = sort === undefined ? all : sortRows<RoleSortField, RoleBody>(all, 'name', { sort, order });
  return {
    roles: [...pageOf(sorted, query)],
    permissions: [...KNOWN_PERMISSIONS],
    is_editable: !configured.areFromFile,
    pagination: toPagination(query, all.length),
  };
};

/** What the routes of roles use. */
export interface RoleServices {
  readonly database: Database;
  readonly configured: ConfiguredRoles;
  readonly identity: Pick<Identity, 'forgetAll'>;
}
