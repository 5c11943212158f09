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
