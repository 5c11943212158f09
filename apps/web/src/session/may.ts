import type { Action } from '@sheaf/contract';

export type Reach = 'all' | 'own' | 'none';

const matches = (permission: string, action: string): boolean =>
  permission === '*' || permission === action || (permission.endsWith('.*') && action.startsWith(permission.slice(0, -1)));

/** On whose rows these permissions allow `action`. The service decides; this only tells what to show. */
export const reachOf = (permissions: readonly string[], action: Action): Reach => {
  if (permissions.some((permission) => matches(permission, action))) return 'all';
  return permissions.some((permission) => permission.endsWith('.own') && matches(permission.slice(0, -'.own'.length), action))
    ? 'own'
    : 'none';
};
