import { AppError, codedError, forbidden, rowId } from '@sheaf/contract';
import {
  ensuredWatchDirectoryBody,
  ensureWatchDirectoryRequest,
  removedWatchDirectoryBody,
  watchDirectoryBody,
} from '@sheaf/contract/users';
import type { ErrorKind } from '@sheaf/vocabulary/error-codes';
import { type Action, type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import {
  describeDirectory,
  ensureDirectory,
  type Initiator,
  type RemovedFiles,
  removeDirectory,
  type WatchDirectoryDeps,
} from '@sheaf/watch';
import { z } from 'zod';
import { jsonRoute, type RequestContext, type Route } from '../http/route.ts';
import type { UserServices } from './user-imports.ts';

const PATH = '/api/users/{user_id}/watch-directory';
const ERRORS: Readonly<Record<string, ErrorKind>> = {
  USER_NOT_FOUND: 'NOT_FOUND',
  WATCH_DIRECTORY_DISABLED: 'INTERNAL_ERROR',
  WATCH_DIRECTORY_FAILED: 'INTERNAL_ERROR',
};

/** Throws FORBIDDEN for a user who is not there as for one who is: who may not ask learns nothing. */
const requireAll = ({ permissions }: Principal, action: Action): void => {
  if (scopeOf(permissions, action) !== 'all') throw forbidden('Only an administrator can manage the watch folder of a user.');
};

const requireHisOrAll = (principal: Principal, userId: string, action: Action): void => {
  if (principal.userId !== userId) requireAll(principal, action);
};

const requireEnabled = ({ watchDirectories }: UserServices): WatchDirectoryDeps => {
  if (watchDirectories !== undefined) return watchDirectories;
  throw codedError('INTERNAL_ERROR', 'WATCH_DIRECTORY_DISABLED', { variable: 'ENABLE_PER_USER_WATCH' });
};

const initiator = (principal: Principal, { address }: RequestContext): Initiator => ({ actor: principal, address });

const noteAccess = ({ log }: WatchDirectoryDeps, principal: Principal, userId: string, operation: 'read' | 'make' | 'delete'): void =>
  log.info({ user_id: userId, actor_id: principal.userId, via: principal.via, operation }, 'watch folder accessed');

export const readWatchDirectory = (services: UserServices): Route =>
  jsonRoute({
    method: 'get',
    path: PATH,
    access: 'users.read',
    allowSelf: true,
    summary: 'Get the watch folder of a user',
    errors: ERRORS,
    params: userParams,
    response: watchDirectoryBody,
    handle: async ({ params: { user_id: userId }, principal }) => {
      requireHisOrAll(principal, userId, 'users.read');
      const directories = requireEnabled(services);
      const { username, path, exists } = await describeDirectory(directories, userId);
      noteAccess(directories, principal, userId, 'read');
      return { user_id: userId, username, watch_directory_path: path, exists, enabled: true };
    },
  });

export const ensureWatchDirectory = (services: UserServices): Route =>
  jsonRoute({
    method: 'post',
    path: PATH,
    access: 'users.update',
    allowSelf: true,
    summary: 'Create the watch folder of a user',
    description: 'Succeeds if it already exists. With `ensure_created: false` nothing is created, and `success` is whether it exists.',
    errors: ERRORS,
    params: userParams,
    body: ensureWatchDirectoryRequest,
    response: ensuredWatchDirectoryBody,
    handle: async ({ params: { user_id: userId }, body, principal, context }) => {
      requireHisOrAll(principal, userId, 'users.update');
      const directories = requireEnabled(services);
      noteAccess(directories, principal, userId, 'make');
      if (!body.ensure_created) return lookOnly(directories, userId);
      const { path, isNew } = await ensureDirectory(directories, userId, initiator(principal, context));
      const message = isNew ? 'The watch folder was created' : 'The watch folder exists';
      return { success: true, message, watch_directory_path: path };
    },
  });

// Choice: what `ensure_created: false` asks for is not given; it makes nothing and says whether the directory is there.
const lookOnly = async (directories: WatchDirectoryDeps, userId: string) => {
  const { path, exists } = await describeDirectory(directories, userId);
  if (path === null) {
    throw new AppError('INTERNAL_ERROR', 'The path of the watch folder is occupied by another file. An administrator must move it.', {
      code: 'WATCH_DIRECTORY_FAILED',
    });
  }
  const message = exists ? 'The watch folder exists' : 'The watch folder does not exist; ensure_created: true creates it';
  return { success: exists, message, watch_directory_path: path };
};

const filesText = (removed: RemovedFiles | undefined): string => {
  if (removed === undefined) return 'its files are being deleted';
  const { files, neverImported } = removed;
  if (files === 0) return 'it contained no files';
  return `${files} ${files === 1 ? 'file' : 'files'} deleted, of which ${neverImported} were never imported`;
};

export const deleteWatchDirectory = (services: UserServices): Route =>
  jsonRoute({
    method: 'delete',
    path: PATH,
    access: 'users.delete',
    summary: 'Delete the watch folder of a user with all its files',
    description: 'Requires `users.delete`, not only `users.delete.own`. Imported documents remain. Succeeds if the folder does not exist.',
    errors: ERRORS,
    params: userParams,
    response: removedWatchDirectoryBody,
    handle: async ({ params: { user_id: userId }, principal, context }) => {
      requireAll(principal, 'users.delete');
      const directories = requireEnabled(services);
      noteAccess(directories, principal, userId, 'delete');
      const removal = await removeDirectory(directories, userId, initiator(principal, context));
      const message =
        removal.kind === 'absent' ? 'The watch folder does not exist' : `The watch folder was deleted; ${filesText(removal.removed)}`;
      return { success: true as const, message, watch_directory_path: null };
    },
  });

export const userParams = z.strictObject({ user_id: rowId });
