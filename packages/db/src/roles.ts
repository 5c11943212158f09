import { type ConfiguredRoles, isKnownPermission, type RolePermissions } from '@sheaf/vocabulary/permissions';
import type { Db } from './client.ts';
import { sql } from './drizzle.ts';
import { roles } from './schema/users.ts';

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
