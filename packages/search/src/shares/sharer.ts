import type { Db } from '@sheaf/db';
import { findPrincipalOfUser } from '@sheaf/db/requester';
import { type ConfiguredRoles, narrower, type Principal, permissionOf, scopeOf } from '@sheaf/vocabulary/permissions';

/** The principal without all but reading and searching, and these no further than he may share. */
export const sharingPrincipal = (principal: Principal): Principal => {
  const scope = (action: 'documents.read' | 'documents.share' | 'search.query') => scopeOf(principal.permissions, action);
  const sharing = scope('documents.share');
  const permissions = (['documents.read', 'search.query'] as const).flatMap((action) =>
    permissionOf(action, narrower(scope(action), sharing)),
  );
  return { ...principal, permissions };
};

/** What the user who made a link may show today; undefined where he may show nothing, or his account is off. */
export const findSharer = async (db: Db, roles: ConfiguredRoles, userId: string): Promise<Principal | undefined> => {
  const user = await findPrincipalOfUser(db, roles, userId);
  const sharer = user && sharingPrincipal(user);
  return sharer === undefined || sharer.permissions.length === 0 ? undefined : sharer;
};
