export { findUserByExternalId, findUserByName } from './external-users.ts';
export { countUsersByRole, countUsersOf, writeRoles } from './roles.ts';
export {
  type Audit,
  type AuditEntry,
  type AuditFilter,
  listAudit,
  listAuditAfter,
  makeAudit,
  recordAudit,
  recordAuditEntries,
} from './security-notices.ts';
export {
  deleteUser,
  holdReceiver,
  isLastAdministrator,
  lockOwnUser,
  lockUser,
  replacePasswordHash,
  requireNoDocuments,
  requireOtherAdministrator,
  setPassword,
  type UserChanges,
  updateUser,
} from './user-changes.ts';
export { readUserFigures } from './user-figures.ts';
export { getUserImport, listUserImports, listUserImportsAfter } from './user-import-list.ts';
export {
  claimUserImport,
  deleteUserImportsBefore,
  failUserImport,
  type GivenEntry,
  type HeldUserImport,
  lockUsersToInvite,
  readNextEntries,
  readUserImportErrors,
  releaseUserImport,
  requestUserImport,
  settleEntry,
  UserImportLost,
  type UserImportRefusal,
} from './user-imports.ts';
export { getUser, getUserByEmail, getUserById, listUsers, listUsersAfter, userNotFound } from './user-list.ts';
export {
  createUser,
  findDefaultOwner,
  findUserByEmail,
  findUserById,
  findUserByLogin,
  hasUsers,
  isWithoutUsers,
  toManagedUserBodies,
  toManagedUserBody,
  toUserBody,
} from './users.ts';
