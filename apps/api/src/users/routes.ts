import { setImmediate } from 'node:timers/promises';
import { requireMayChange } from '@sheaf/accounts';
import {
  deleteUser,
  type GivenEntry,
  getUser,
  getUserByEmail,
  getUserImport,
  holdReceiver,
  listUsers,
  listUsersAfter,
  lockUser,
  recordAudit,
  requestUserImport,
  requireNoDocuments,
  requireOtherAdministrator,
  toManagedUserBodies,
  toManagedUserBody,
} from '@sheaf/accounts/users';
import { makeIssue, reasonedError, rowId, validationError } from '@sheaf/contract';
import { managedUserBody } from '@sheaf/contract/identity';
import {
  givePasswordRequest,
  importUsersBody,
  importUsersRequest,
  invitationBody,
  passwordChangedBody,
  userGroupsBody,
  userListQuery,
} from '@sheaf/contract/users';
import { type Db, readRoles } from '@sheaf/db';
import { requesterOf } from '@sheaf/db/requester';
import type { User, UserImport } from '@sheaf/db/schema';
import { TRANSFER_ERRORS, transferDocuments } from '@sheaf/documents/owners';
import { sleep } from '@sheaf/process';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { claimDirectory, settleDirectory } from '@sheaf/watch';
import { z } from 'zod';
import { listRoute } from '../http/list-route.ts';
import { createRoute, emptyRoute, jsonRoute, OtherAnswer, type Route } from '../http/route.ts';
import { acceptInvitation, changePassword, create, register, resendVerification, verifyByLink, verifyByToken } from './registration.ts';
import { readProfile, update, updateProfile } from './update-user.ts';
import {
  invite,
  inviteImported,
  listImports,
  readImport,
  toEntry,
  toImportBody,
  type UserImportServices,
  type UserServices,
} from './user-imports.ts';
import { deleteWatchDirectory, ensureWatchDirectory, readWatchDirectory, userParams } from './watch-directory.ts';

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
  ...updateProfile(services),
  changePassword(services),
  groups(services),
  read(services),
  ...update(services),
  givePassword(services),
  inviteUser(services),
  resetMfa(services),
  remove(services),
  readWatchDirectory(services),
  ensureWatchDirectory(services),
  deleteWatchDirectory(services),
];

const list = ({ database, cursors }: UserServices): Route =>
  listRoute({
    cursors,
    path: '/api/users',
    access: 'users.read',
    summary: 'List users',
    query: userListQuery,
    name: 'data',
    item: managedUserBody,
    page: async ({ query: { page, per_page: perPage, ...filter }, principal }) => {
      const { rows, total } = await listUsers(database.db, principal, { page, perPage, ...filter });
      return { rows: await toManagedUserBodies(database.db, rows), total };
    },
    cut: async ({ query, principal }, part) => {
      const { rows, next } = await listUsersAfter(database.db, principal, { ...query, ...part });
      return { rows: await toManagedUserBodies(database.db, rows), next };
    },
  });

const read = ({ database }: UserServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/users/{user_id}',
    access: 'users.read',
    summary: 'Get a user',
    errors: { USER_NOT_FOUND: 'NOT_FOUND' },
    params: userParams,
    response: managedUserBody,
    handle: async ({ params, principal }) => toManagedUserBody(database.db, await getUser(database.db, principal, params.user_id)),
  });

const groups = ({ database }: UserServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/users/{email}/groups',
    access: 'users.read',
    summary: 'Get the groups of a user from the identity provider at the last sign-in',
    errors: { USER_NOT_FOUND: 'NOT_FOUND' },
    params: z.strictObject({ email: z.string().min(1).max(254) }),
    response: userGroupsBody,
    handle: async ({ params, principal }) => {
      const user = await getUserByEmail(database.db, principal, params.email);
      return { email: user.email, groups: user.externalGroups, role: user.role };
    },
  });

const givePassword = (services: UserServices): Route =>
  jsonRoute({
    method: 'put',
    path: '/api/users/{user_id}/password',
    access: 'users.update',
    summary: 'Reset the password of a user',
    description:
      'Ends all sessions of the user, and revokes the API keys and app tokens unless `revoke_keys` is false; GET /api/keys lists them with their last use. Second factors and a lockout remain. The user is notified, and the change is in the audit log. Not allowed for yourself, for users with more permissions, or with an API key.',
    errors: {
      USER_NOT_FOUND: 'NOT_FOUND',
      PASSWORD_KEPT_ELSEWHERE: 'DUPLICATE_RESOURCE',
      PASSWORD_CHANGED_MEANWHILE: 'DUPLICATE_RESOURCE',
    },
    params: userParams,
    body: givePasswordRequest,
    response: passwordChangedBody,
    handle: async ({ params, body, principal, context }) => {
      requirePerson(principal, params.user_id);
      const find = (tx: Db): Promise<User> => findChangeable(tx, principal, params.user_id, services);
      const revokedKeys = await services.accounts.givenPassword.give(find, body.new_password, {
        by: 'administrator',
        actor: principal,
        address: context.address,
        revokesKeys: body.revoke_keys,
      });
      return { success: true as const, revoked_keys: revokedKeys };
    },
  });

const resetMfa = (services: UserServices): Route =>
  emptyRoute({
    method: 'delete',
    path: '/api/users/{user_id}/mfa',
    access: 'users.update',
    summary: 'Remove all second factors of a user who has lost them',
    description:
      'Recovery codes are removed as well, and all sessions of the user end. The user is notified, and the change is in the audit log. Not allowed for yourself, for users with more permissions, or with an API key.',
    done: 'Removed',
    errors: { USER_NOT_FOUND: 'NOT_FOUND', MFA_DEVICE_NOT_FOUND: 'NOT_FOUND' },
    params: userParams,
    handle: async ({ params: { user_id: userId }, principal, context: { address } }) => {
      const { accounts, database, identity } = services;
      await database.db.transaction(async (tx) => {
        await findChangeable(tx, principal, userId, services);
        requirePerson(principal, userId);
        await identity.mfa.removeAll(tx, userId, { actor: principal, address });
        await accounts.sessions.endAll(tx, userId);
      });
      accounts.sessions.forget(userId);
      identity.mfa.forget(userId);
    },
  });

const inviteUser = (services: UserServices): Route =>
  createRoute({
    path: '/api/users/{user_id}/invitation',
    access: 'users.update',
    summary: 'Invite a user without a password again',
    description:
      'The new invitation is valid for 7 days and replaces an earlier one. It is returned once, and sent by e-mail if SMTP is configured. Not allowed with an API key.',
    errors: { USER_NOT_FOUND: 'NOT_FOUND', DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    params: userParams,
    response: invitationBody,
    handle: async ({ params, principal, context: { address } }) => {
      const { accounts, audit, config, database } = services;
      const invited = await database.db.transaction(async (tx) => {
        const user = await findChangeable(tx, principal, params.user_id, services);
        requirePerson(principal, user.id);
        if (user.authMethod !== 'local' || user.passwordHash !== null) throw reasonedError('DUPLICATE_RESOURCE', 'has_password');
        const subject = { type: 'user', id: user.id };
        await audit(tx, {
          actor: principal,
          address,
          action: 'user.updated',
          outcome: 'success',
          subject,
          details: { fields: ['invitation'] },
        });
        return { user, ...(await accounts.invitations.invite(tx, user.id)) };
      });
      const url = `${config.publicUrl}/invitation?${new URLSearchParams({ token: invited.token })}`;
      const isSent = await accounts.invitations.send(invited.user, url);
      const { token, expiresAt, user } = invited;
      return { username: user.username, token, url, expires_at: expiresAt.toISOString(), is_sent: isSent };
    },
  });

/** A key that leaked must not be a way to sign in as somebody, and what is one's own is changed in the profile. */
const requirePerson = (principal: Principal, userId: string): void => {
  if (principal.via === 'key') throw reasonedError('FORBIDDEN', 'not_with_a_key');
  if (principal.userId === userId) throw reasonedError('FORBIDDEN', 'own_password_by_profile');
};

/** The user, locked, whose ways to sign in `principal` may change. */
const findChangeable = async (tx: Db, principal: Principal, id: string, { accounts }: Pick<UserServices, 'accounts'>): Promise<User> => {
  const { user, isAllowed } = await lockUser(tx, principal, 'users.update', id);
  if (!isAllowed) throw reasonedError('FORBIDDEN', 'not_your_own');
  requireMayChange(await readRoles(tx, accounts.roles), principal, user);
  return user;
};

interface Deletion {
  readonly principal: Principal;
  readonly address: string | undefined;
  readonly id: string;
  readonly transferTo: string | undefined;
}

/** Answers how many documents these were. */
const giveDocuments = async (tx: Db, fromId: string, toId: string): Promise<number> => {
  await holdReceiver(tx, toId);
  return transferDocuments(tx, fromId, toId);
};

/** Answers the id of their watch directory, which has to be set aside now. */
const removeUser = async (
  tx: Db,
  { accounts, watchDirectories }: UserServices,
  { principal, address, id, transferTo }: Deletion,
): Promise<string | undefined> => {
  const { user, isAllowed } = await lockUser(tx, principal, 'users.delete', id);
  if (!isAllowed) throw reasonedError('FORBIDDEN', 'not_your_own');
  requireMayChange(await readRoles(tx, accounts.roles), principal, user);
  await requireOtherAdministrator(tx, user, accounts.adminRoles);
  const moved = transferTo === undefined ? 0 : await giveDocuments(tx, id, transferTo);
  // also after the transfer: an upload of theirs may have come in between
  await requireNoDocuments(tx, id);
  await accounts.sessions.endAll(tx, id);
  const directoryId = watchDirectories && (await claimDirectory(tx, watchDirectories, user));
  await deleteUser(tx, id);
  await recordAudit(tx, {
    actor: principal,
    address,
    action: 'user.deleted',
    outcome: 'success',
    subject: { type: 'user', id },
    details: { username: user.username, ...(transferTo === undefined ? {} : { transfer_to: transferTo, documents: moved }) },
  });
  return directoryId;
};

const remove = (services: UserServices): Route =>
  emptyRoute({
    method: 'delete',
    path: '/api/users/{user_id}',
    access: 'users.delete',
    summary: 'Delete a user',
    description:
      'Returns 409 with the number of documents while the user owns documents, unless `transfer_to` is the user who receives them. Sources are transferred too, or deleted. The watch folder is quarantined with its files. The last active administrator cannot be deleted.',
    done: 'The user was deleted',
    errors: {
      USER_NOT_FOUND: 'NOT_FOUND',
      LAST_ADMINISTRATOR: 'DUPLICATE_RESOURCE',
      USER_OWNS_DOCUMENTS: 'DUPLICATE_RESOURCE',
      ...TRANSFER_ERRORS,
    },
    params: userParams,
    query: z.strictObject({ transfer_to: rowId.optional().describe('ID of the user who receives the documents') }),
    handle: async ({ params, query, principal, context }) => {
      const { accounts, database, watchDirectories } = services;
      const { transfer_to: transferTo } = query;
      if (transferTo === params.user_id) {
        throw validationError('transfer_to must be a different user.', {
          issues: [makeIssue('transfer_to', 'same_user')],
        });
      }
      const deletion = { principal, address: context.address, id: params.user_id, transferTo };
      const directoryId = await database.db.transaction((tx) => removeUser(tx, services, deletion));
      accounts.sessions.forget(params.user_id);
      if (watchDirectories !== undefined && directoryId !== undefined)
        await settleDirectory(watchDirectories, directoryId, { actor: principal, address: context.address });
    },
  });

/** So long the request waits for the end of its import, and never longer than half of REQUEST_TIMEOUT. */
const WAIT_MS = 10_000;
const LOOK_EVERY_MS = 50;
const RETRY_AFTER_SECONDS = 2;
/** Checking so many entries takes some milliseconds, in which nothing else is answered. */
const ENTRIES_AT_ONCE = 500;

const toEntries = async (list: readonly unknown[]): Promise<readonly GivenEntry[]> => {
  const entries: GivenEntry[] = [];
  for (let from = 0; from < list.length; from += ENTRIES_AT_ONCE) {
    entries.push(...list.slice(from, from + ENTRIES_AT_ONCE).map(toEntry));
    await setImmediate();
  }
  return entries;
};

/** The import when it has ended, or as far as it is when the time to wait is over or the client is gone. */
const waitForEnd = async (db: Db, principal: Principal, id: string, limitMs: number, signal: AbortSignal): Promise<UserImport> => {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const row = await getUserImport(db, principal, id);
    if (row.finishedAt !== null || performance.now() > deadline || !(await sleep(LOOK_EVERY_MS, signal))) return row;
  }
};

const importUsers = (services: UserImportServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/users/import',
    access: 'users.create',
    summary: 'Import users',
    description:
      'The list is the body, or a JSON file in the field `file` of a form. The list is stored and imported in the background, whatever becomes of the connection or a process; each user is created once. The response is 200 with the result if the import ends within 10 seconds (or half of REQUEST_TIMEOUT, if that is less), else 202: GET /api/users/imports/{id} has the progress and the result. Users are processed independently; invalid or existing users are listed in `errors`. A user without a password gets an invitation to set it (POST /api/auth/invitation): a response with status 200 contains the invitations, and POST /api/users/imports/{id}/invitations creates new ones. An import runs with the permissions that its requester, and the API key of the request, have at that time, and ends with `error_code` when they are lost.',
    body: importUsersRequest,
    takesBodyFile: true,
    mayTakeLong: true,
    carriesCredentials: true,
    response: importUsersBody,
    otherAnswers: [
      {
        status: 202,
        description: 'The import goes on in the background',
        schema: importUsersBody,
        headers: { Location: 'Path of the import', 'Retry-After': 'Seconds after which to ask for the progress' },
      },
    ],
    handle: async ({ body, principal, context: { address, signal } }) => {
      const { config, database, userImports } = services;
      const id = await requestUserImport(database.db, {
        requester: requesterOf(principal),
        address,
        entries: await toEntries(body),
        secretKey: config.signIn.appSecretKey,
      });
      userImports.nudge();
      const row = await waitForEnd(database.db, principal, id, Math.min(WAIT_MS, config.server.requestTimeoutMs / 2), signal);
      const result = await toImportBody(database.db, row);
      if (row.finishedAt === null) {
        const headers = { Location: `/api/users/imports/${id}`, 'Retry-After': `${RETRY_AFTER_SECONDS}` };
        return new OtherAnswer(202, { ...result, invitations: [] }, headers);
      }
      const { invitations } = await invite(services, { principal, address }, id, false);
      return { ...result, invitations };
    },
  });
