import { type Db, readRolesToChange } from '@sheaf/db';
import { recordAudit, writeRoles } from '@sheaf/users';
import type { ConfiguredRoles, Principal } from '@sheaf/vocabulary/permissions';

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

/**
 * Makes the role where there is none of its name. Pass the transaction that gives it to a user. False where ROLES_FILE says which roles
 * there are, and this one is not among them.
 */
export const giveImportedRole = async (tx: Db, configured: ConfiguredRoles, role: ImportedRole, by: Principal): Promise<boolean> => {
  const roles = await readRolesToChange(tx, configured);
  if (Object.hasOwn(roles, role)) return true;
  if (configured.areFromFile) return false;
  const permissions = IMPORTED_ROLES[role];
  await writeRoles(tx, new Map([[role, permissions]]));
  await recordAudit(tx, {
    actor: by,
    action: 'role.created',
    outcome: 'success',
    subject: { type: 'role', id: role },
    details: { old: null, new: permissions },
  });
  return true;
};
