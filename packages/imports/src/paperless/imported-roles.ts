import { recordAudit, writeRoles } from '@sheaf/accounts/users';
import { type Db, readRolesToChange } from '@sheaf/db';
import { areWithin, type ConfiguredRoles, type Principal, permissionsOf } from '@sheaf/vocabulary/permissions';

/**
 * Roles of imported users. There, users see their own documents and those that were shared with them; the built-in roles here read the
 * documents of everybody. So these reach as far as a user's own documents, until an administrator says otherwise.
 */
const IMPORTED_ROLES = {
  'imported-editor': [
    'documents.read.own',
    'documents.create',
    'documents.update.own',
    'documents.delete.own',
    'search.query.own',
    'labels.read',
    'labels.create',
    'labels.update.own',
    'labels.delete.own',
    'ocr.read.own',
    'ocr.update.own',
  ],
  'imported-viewer': ['documents.read.own', 'search.query.own', 'labels.read', 'ocr.read.own'],
} as const;
export type ImportedRole = keyof typeof IMPORTED_ROLES;

/** Why a user does not get a role: ROLES_FILE does not have it, or it has more permissions than the requester of the import. */
export type RoleRefusal = 'unknown' | 'too_strong';

/**
 * Makes the role where there is none of its name. Pass the transaction that gives it to a user. Answers why the user does not get it;
 * undefined where nothing speaks against it.
 */
export const giveImportedRole = async (
  tx: Db,
  configured: ConfiguredRoles,
  role: ImportedRole | 'admin',
  by: Principal,
): Promise<RoleRefusal | undefined> => {
  const roles = await readRolesToChange(tx, configured);
  const isThere = Object.hasOwn(roles, role);
  if (!isThere && (configured.areFromFile || role === 'admin')) return 'unknown';
  const permissions = role === 'admin' || isThere ? permissionsOf(roles, role) : IMPORTED_ROLES[role];
  if (!areWithin(permissions, by.permissions)) return 'too_strong';
  if (isThere) return undefined;
  await writeRoles(tx, new Map([[role, permissions]]));
  await recordAudit(tx, {
    actor: by,
    action: 'role.created',
    outcome: 'success',
    subject: { type: 'role', id: role },
    details: { old: null, new: permissions },
  });
  return undefined;
};
