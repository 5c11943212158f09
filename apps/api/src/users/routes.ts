import type { Route } from '../http/route.ts';
import { remove } from './delete-user.ts';
import { importUsers } from './import-users.ts';
import { inviteUser } from './invite-user.ts';
import { groups, list, read } from './list-users.ts';
import { acceptInvitation, changePassword } from './own-password.ts';
import { patchProfile, putProfile, readProfile } from './profile.ts';
import { create, register, resendVerification, verifyByLink, verifyByToken } from './registration.ts';
import { givePassword, resetMfa } from './reset-credentials.ts';
import { patch, put } from './update-user.ts';
import { inviteImported, listImports, readImport } from './user-imports.ts';
import type { UserImportServices, UserServices } from './user-services.ts';
import { deleteWatchDirectory, ensureWatchDirectory, readWatchDirectory } from './watch-directory.ts';

/** Fixed paths stand before those with a parameter, which would take them for a user. */
export const userRoutes = (services: UserServices & UserImportServices): readonly Route[] => [
  register(services),
  verifyByLink(services),
  verifyByToken(services),
  resendVerification(services),
  acceptInvitation(services),
  list(services),
  create(services),
  importUsers(services),
  listImports(services),
  readImport(services),
  inviteImported(services),
  readProfile(services),
  putProfile(services),
  patchProfile(services),
  changePassword(services),
  groups(services),
  read(services),
  put(services),
  patch(services),
  givePassword(services),
  inviteUser(services),
  resetMfa(services),
  remove(services),
  readWatchDirectory(services),
  ensureWatchDirectory(services),
  deleteWatchDirectory(services),
];
