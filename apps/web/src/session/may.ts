import type { Action } from '@sheaf/contract';

export type Reach = 'all' | 'own' | 'none';

const grants = (permission: string, action: Action): Reach => {
  if (permission === '*' || permission === action || permission === `${action.split('.')[0]}.*`) return 'all';
  return permission === `${action}.own` ? 'own' : 'none';
};

/** On whose rows these permissions allow `action`. The service decides; this only tells what to show. */
export const reachOf = (permissions: readonly string[], action: Action): Reach => {
  const reaches = permissions.map((permission) => grants(permission, action));
  if (reaches.includes('all')) return 'all';
  return reaches.includes('own') ? 'own' : 'none';
};

/** Whether somebody may do on all rows of `owners` what he may do as far as `reach`. Of rows whose owners nobody knows here he may it on none. */
export const reachesAll = (reach: Reach, owners: Iterable<string | null> | undefined, userId: string): boolean =>
  reach === 'all' || (reach === 'own' && owners !== undefined && [...owners].every((owner) => owner === userId));
