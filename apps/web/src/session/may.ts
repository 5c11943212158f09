import type { Scope } from '@sheaf/vocabulary/permissions';

/** Whether `scope` covers all rows of `owners`. Unknown owners count as somebody else. */
export const reachesAll = (scope: Scope, owners: Iterable<string | null> | undefined, userId: string): boolean =>
  scope === 'all' || (scope === 'own' && owners !== undefined && [...owners].every((owner) => owner === userId));
