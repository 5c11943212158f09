import { countUsersByRole } from '@sheaf/accounts/users';
import { toPagination } from '@sheaf/contract';
import { type RoleBody, type RoleListQuery, type RolesBody, roleListQuery } from '@sheaf/contract/users';
import { type Db, readRoles } from '@sheaf/db';
import { BUILT_IN_ROLES, isBuiltInRole, KNOWN_PERMISSIONS, type Principal, type RolePermissions } from '@sheaf/vocabulary/permissions';
import type { RoleSortField } from '@sheaf/vocabulary/sort-fields';
import { pageOf, sortRows } from '../http/short-list.ts';
import type { RoleServices } from './role-services.ts';

/** Whether both lists hold the same permissions, in whatever order. */
export const haveSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.every((one) => others.includes(one)) && others.every((one) => some.includes(one));

const isChanged = (name: string, permissions: readonly string[]): boolean =>
  isBuiltInRole(name) && !haveSame(permissions, BUILT_IN_ROLES[name]);

export const toRoleBodies = (roles: RolePermissions, userCounts: ReadonlyMap<string, number>): RoleBody[] =>
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
