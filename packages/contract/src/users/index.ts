export { type AuditEntryBody, auditEntryBody, auditExportQuery, auditQuery } from './audit.ts';
export { invitationBody } from './invitation.ts';
export { type RoleBody, type RoleListQuery, type RoleRequest, type RolesBody, roleListQuery, rolesBody, rolesRequest } from './role.ts';
export {
  acceptInvitationRequest,
  changePasswordRequest,
  createUserRequest,
  givePasswordRequest,
  type ImportedUser,
  importedUser,
  importUsersBody,
  importUsersRequest,
  type ListedUserImportBody,
  listedUserImportBody,
  passwordChangedBody,
  resendVerificationRequest,
  type UpdateUserRequest,
  type UserImportError,
  type UserImportInvitationsBody,
  updateProfileRequest,
  updateUserRequest,
  userGroupsBody,
  userImportBody,
  userImportInvitationsBody,
  userImportListQuery,
  userListQuery,
  verifyEmailQuery,
  verifyEmailRequest,
} from './user-management.ts';
export { type UserSettingsBody, type UserSettingsRequest, userSettingsBody, userSettingsRequest } from './user-settings.ts';
export {
  ensuredWatchDirectoryBody,
  ensureWatchDirectoryRequest,
  removedWatchDirectoryBody,
  watchDirectoryBody,
} from './watch-directory.ts';
