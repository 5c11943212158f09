import { codedError, permissionNeeded, reasonedError, rowId, unauthorized } from '@sheaf/contract';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { Route } from './route.ts';

/** What of a route says who may call it. */
export type RouteAccess = Pick<Route, 'access' | 'allowSelf' | 'allowedBeforeMfa'>;

const isSelf = ({ userId, via }: Principal, params: unknown): boolean =>
  via !== 'key' && typeof params === 'object' && params !== null && 'user_id' in params && rowId.safeParse(params.user_id).data === userId;

/**
 * Lets the principal in or throws: UNAUTHORIZED without one, FORBIDDEN where the route is for sessions and a key asks, or where the role
 * gives the action to nobody's rows. Whatever calls a route, also one of another API behind which it stands, asks here.
 */
export const admit = (
  { access, allowSelf, allowedBeforeMfa }: RouteAccess,
  principal: Principal | undefined,
  params: unknown,
): Principal | undefined => {
  if (access === 'anyone' || access === 'anyone-known') return principal;
  if (principal === undefined) throw unauthorized();
  if (principal.mfaSetupRequired === true && allowedBeforeMfa !== true) throw codedError('FORBIDDEN', 'MFA_SETUP_REQUIRED');
  if (access === 'signed-in') return principal;
  if (access === 'session') {
    if (principal.via === 'key') throw reasonedError('FORBIDDEN', 'not_with_a_key');
    return principal;
  }
  if (allowSelf === true && isSelf(principal, params)) return principal;
  if (scopeOf(principal.permissions, access) === 'none') throw permissionNeeded(access);
  return principal;
};
