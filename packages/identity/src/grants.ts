import { reasonedError } from '@sheaf/contract';
import { ACTIONS, type Principal, type RolePermissions, type Scope, scopeOf } from '@sheaf/vocabulary/permissions';
import { permissionsOf } from './roles.ts';

const WEIGHT: Readonly<Record<Scope, number>> = { none: 0, own: 1, all: 2 };

/** Whether `permissions` allow nothing that `limit` does not. */
export const areWithin = (permissions: readonly string[], limit: readonly string[]): boolean =>
  (!permissions.includes('*') || limit.includes('*')) &&
  ACTIONS.every((action) => WEIGHT[scopeOf(permissions, action)] <= WEIGHT[scopeOf(limit, action)]);

/** Throws FORBIDDEN for a role that may do more than `by` may: who manages users does not become administrator by it. */
export const requireMayGive = (roles: RolePermissions, by: Principal, role: string): void => {
  if (!areWithin(permissionsOf(roles, role), by.permissions)) {
    throw reasonedError('FORBIDDEN', 'role_too_strong', { role });
  }
};

/**
 * Throws FORBIDDEN where `by` would change a user who may do more than he: with his address or password he would be him. He himself
 * may do no more than he, but more than a key of his.
 */
export const requireMayChange = (roles: RolePermissions, by: Principal, user: { readonly id: string; readonly role: string }): void => {
  const isHimself = user.id === by.userId && by.via !== 'key';
  if (!isHimself && !areWithin(permissionsOf(roles, user.role), by.permissions)) {
    throw reasonedError('FORBIDDEN', 'user_too_strong');
  }
};
