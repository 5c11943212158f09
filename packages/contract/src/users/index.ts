export { type AuditEntryBody, auditEntryBody, auditQuery } from './audit.ts';
export {
  acceptInvitationRequest,
  changePasswordRequest,
  createUserRequest,
  givePasswordRequest,
  type ImportedUser,
  type ImportUsersBody,
  importedUser,
  importUsersBody,
  importUsersRequest,
  resendVerificationRequest,
  type UpdateUserRequest,
  updateProfileRequest,
  updateUserRequest,
  userGroupsBody,
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
