import { reasonedError } from '@sheaf/contract';
import { areWithin, type Principal, permissionsOf, type RolePermissions } from '@sheaf/vocabulary/permissions';

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
