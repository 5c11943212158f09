import { reasonedError } from '@sheaf/contract';
import {
  type ConfiguredRoles,
  isKnownPermission,
  type Principal,
  permissionsOf,
  permissionsOfKey,
  type RolePermissions,
} from '@sheaf/vocabulary/permissions';
import type { Db } from './client.ts';
import { eq, sql } from './drizzle.ts';
import { apiKeys, roles, users } from './schema/users.ts';

/** Who requested work that is done later or by another process. It is stored with the work. */
export interface Requester {
  /** Null once the user was deleted. */
  readonly requestedBy: string | null;
  /** The API key that the request came with; null for a session. It stays when the key is deleted. */
  readonly requestedKeyId: string | null;
}

/** What is stored of who makes a request. */
export const requesterOf = ({ userId, keyId }: Pick<Principal, 'userId' | 'keyId'>) => ({
  requestedBy: userId,
  requestedKeyId: keyId ?? null,
});

/** A user as the principal of work without a request of its own, such as a rule: with the permissions of the role now. */
export const principalOfUser = (roles: RolePermissions, { userId, username, role }: Pick<Principal, 'userId' | 'username' | 'role'>) =>
  ({ userId, username, role, permissions: permissionsOf(roles, role), via: 'token' }) as const satisfies Principal;

/** The same by the user's id; undefined for a user who is disabled or does not exist. */
export const findPrincipalOfUser = async (db: Db, configured: ConfiguredRoles, userId: string): Promise<Principal | undefined> => {
  const [[user], roles] = await Promise.all([
    db.select({ username: users.username, role: users.role, disabledAt: users.disabledAt }).from(users).where(eq(users.id, userId)),
    readRoles(db, configured),
  ]);
  if (user === undefined || user.disabledAt !== null) return undefined;
  return principalOfUser(roles, { userId, ...user });
};

/** Throws FORBIDDEN for a key that was deleted or has expired; answers its scope. */
const requireKeyScope = async (db: Db, id: string, userId: string): Promise<readonly string[]> => {
  const [key] = await db.select().from(apiKeys).where(eq(apiKeys.id, id));
  if (key === undefined || key.userId !== userId || key.revokedAt !== null || key.expiresAt <= new Date())
    throw reasonedError('FORBIDDEN', 'requester_key_gone');
  return key.scope;
};

/**
 * The requester of stored work with the permissions that the user, and the key, have now. Whatever does such work asks for it when it
 * begins, and again while it runs. Throws FORBIDDEN with the reason `requester_disabled` or `requester_key_gone`.
 */
export const requireRequester = async (
  db: Db,
  configured: ConfiguredRoles,
  { requestedBy, requestedKeyId }: Requester,
): Promise<Principal> => {
  const user = requestedBy === null ? undefined : await findPrincipalOfUser(db, configured, requestedBy);
  if (user === undefined) throw reasonedError('FORBIDDEN', 'requester_disabled');
  if (requestedKeyId === null) return user;
  const scope = await requireKeyScope(db, requestedKeyId, user.userId);
  return { ...user, permissions: permissionsOfKey(scope, user.permissions), via: 'key', keyId: requestedKeyId };
};

/** The advisory lock under which roles change: who gives a role holds it in common with others who do ("shr" in hexadecimal). */
const ROLES_LOCK = 0x73_68_72;

/** The roles with their permissions as they are now: those of ROLES_FILE, or the built-in ones with those of the database over them. */
export const readRoles = async (db: Db, { permissions, areFromFile }: ConfiguredRoles): Promise<RolePermissions> => {
  if (areFromFile) return permissions;
  const rows = await db.select({ name: roles.name, permissions: roles.permissions }).from(roles);
  // a newer version may have stored permissions that this one does not know
  const stored = rows.map((row) => [row.name, row.permissions.filter(isKnownPermission)] as const);
  return { ...permissions, ...Object.fromEntries(stored) };
};

/** The same, for who is going to give a role to a user: none is removed until the end of the transaction. */
export const readRolesToGive = async (tx: Db, configured: ConfiguredRoles): Promise<RolePermissions> => {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${ROLES_LOCK})`);
  return readRoles(tx, configured);
};

/** The same, for who is going to change roles: nobody else changes or gives any until the end of the transaction. */
export const readRolesToChange = async (tx: Db, configured: ConfiguredRoles): Promise<RolePermissions> => {
  await tx.execute(sql`select pg_advisory_xact_lock(${ROLES_LOCK})`);
  return readRoles(tx, configured);
};
