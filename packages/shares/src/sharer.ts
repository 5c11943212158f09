import { type Db, readRoles } from '@sheaf/db';
import { permissionsOf } from '@sheaf/identity/roles';
import { findUserById } from '@sheaf/users';
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
  const user = await findUserById(db, userId);
  if (user === undefined || user.disabledAt !== null) return undefined;
  const permissions = permissionsOf(await readRoles(db, roles), user.role);
  const sharer = sharingPrincipal({ userId, username: user.username, role: user.role, permissions, via: 'token' });
  return sharer.permissions.length === 0 ? undefined : sharer;
};
