import type { Route } from '../http/route.ts';
import { create } from './create-user.ts';
import { remove } from './delete-user.ts';
import { givePassword } from './give-password.ts';
import { importUsers } from './import-users.ts';
import { groups, list, read } from './list-users.ts';
import { acceptInvitation, changePassword } from './own-password.ts';
import { patchProfile, putProfile, readProfile } from './profile.ts';
import { register, resendVerification, verifyByLink, verifyByToken } from './registration.ts';
import { patch, put } from './update-user.ts';
import { deleteWatchDirectory, ensureWatchDirectory, readWatchDirectory } from './watch-directory.ts';

/** Fixed paths stand before those with a parameter, which would take them for a user. */
export const userRoutes: readonly Route[] = [
  register,
  verifyByLink,
  verifyByToken,
  resendVerification,
  acceptInvitation,
  list,
  create,
  importUsers,
  readProfile,
  putProfile,
  patchProfile,
  changePassword,
  groups,
  read,
  put,
  patch,
  givePassword,
  remove,
  readWatchDirectory,
  ensureWatchDirectory,
  deleteWatchDirectory,
];
