import { type Accounts, type Identity, requireMayChange } from '@sheaf/accounts';
import {
  type Audit,
  getUserImport,
  listUserImports,
  listUserImportsAfter,
  lockUsersToInvite,
  readUserImportErrors,
  recordAuditEntries,
} from '@sheaf/accounts/users';
import type { FixedConfig } from '@sheaf/config';
import { AppError, reasonedError } from '@sheaf/contract';
import {
  type ListedUserImportBody,
  listedUserImportBody,
  type UserImportInvitationsBody,
  userImportBody,
  userImportInvitationsBody,
  userImportListQuery,
} from '@sheaf/contract/users';
import { type Database, type Db, readRoles } from '@sheaf/db';
import type { User, UserImport } from '@sheaf/db/schema';
import type { Clock } from '@sheaf/process';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { WatchDirectoryDeps } from '@sheaf/watch';
import type { z } from 'zod';
import type { Cursors } from '../http/cursor.ts';
import { rowListRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { createRoute, jsonRoute, type Route } from '../http/route.ts';
import { toRefusal } from './imported-user.ts';
import type { UserImportRunner } from './user-import-runner.ts';

const toListedBody = (row: UserImport): ListedUserImportBody => ({
  id: row.id,
  state: row.state,
  total: row.total,
  done: row.done,
  imported: row.done - row.skipped,
  skipped: row.skipped,
  error: row.state === 'failed' ? row.error : null,
  error_code: row.errorCode,
  created_at: row.createdAt.toISOString(),
  finished_at: row.finishedAt?.toISOString() ?? null,
});

/** With what was skipped so far. */
export const toImportBody = async (db: Db, row: UserImport): Promise<z.infer<typeof userImportBody>> => {
  const errors = await readUserImportErrors(db, row.id);
  return { ...toListedBody(row), errors: errors.slice(0, row.skipped) };
};

const refusalToInvite = (check: () => void): AppError | undefined => {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
};

/** New invitations of the users of an import who have no password yet; earlier ones end. Those whom the caller may not change are named. */
export const invite = (
  { accounts, database }: UserImportServices,
  { principal, address }: { readonly principal: Principal; readonly address: string | undefined },
  importId: string,
  isAudited: boolean,
): Promise<UserImportInvitationsBody> =>
  database.db.transaction(async (tx) => {
    const roles = await readRoles(tx, accounts.roles);
    const invited: User[] = [];
    const errors: UserImportInvitationsBody['errors'] = [];
    for (const { position, user } of await lockUsersToInvite(tx, importId)) {
      const refusal = refusalToInvite(() => requireMayChange(roles, principal, user));
      if (refusal === undefined) invited.push(user);
      else errors.push({ index: position, ...toRefusal(user, refusal) });
    }
    const invitations = await accounts.invitations.inviteAll(
      tx,
      invited.map(({ id }) => id),
    );
    if (isAudited)
      await recordAuditEntries(
        tx,
        invited.map(({ id }) => ({
          actor: principal,
          address,
          action: 'user.updated',
          outcome: 'success',
          subject: { type: 'user', id },
          details: { fields: ['invitation'] },
        })),
      );
    const names = new Map(invited.map(({ id, username }) => [id, username]));
    return {
      invitations: invitations.map(({ userId, token, expiresAt }) => ({
        username: names.get(userId) ?? '',
        token,
        expires_at: expiresAt.toISOString(),
      })),
      errors,
    };
  });

export const listImports = ({ cursors }: UserImportServices): Route =>
  rowListRoute({
    cursors,
    path: '/api/users/imports',
    access: 'users.create',
    summary: 'List imports of users, newest first',
    description: 'Those that the caller requested; users who may change all users see those of everybody. They are kept for 30 days.',
    query: userImportListQuery,
    name: 'data',
    item: listedUserImportBody,
    list: listUserImports,
    listAfter: listUserImportsAfter,
    toBody: toListedBody,
  });

export const readImport = ({ database }: UserImportServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/users/imports/{id}',
    access: 'users.create',
    summary: 'Get an import of users, its progress and its result',
    description:
      'For the user who requested the import, and for users who may change all users. Results are kept for 30 days. POST /api/users/imports/{id}/invitations creates the invitations.',
    errors: { IMPORT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    response: userImportBody,
    handle: async ({ params, principal }) => toImportBody(database.db, await getUserImport(database.db, principal, params.id)),
  });

export const inviteImported = (services: UserImportServices): Route =>
  createRoute({
    path: '/api/users/imports/{id}/invitations',
    access: 'users.create',
    summary: 'Invite the imported users without a password',
    description:
      'New invitations for all users of the import who have not set a password yet; they replace earlier ones and are valid for 7 days. They are returned once and not sent by e-mail. Users who may do more than the caller are listed in `errors`. An API key can do this only for imports that it requested.',
    errors: { IMPORT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    carriesCredentials: true,
    response: userImportInvitationsBody,
    handle: async ({ params, principal, context: { address } }) => {
      const row = await getUserImport(services.database.db, principal, params.id);
      // a key that leaked must not be a way to sign in as somebody whom another one imported
      if (principal.via === 'key' && row.requestedKeyId !== principal.keyId) throw reasonedError('FORBIDDEN', 'not_with_a_key');
      return invite(services, { principal, address }, row.id, true);
    },
  });

/** What the routes of users use. */
export interface UserServices {
  readonly config: Pick<FixedConfig, 'publicUrl' | 'server' | 'signIn'>;
  readonly database: Database;
  readonly accounts: Accounts;
  /** Writes the audit log, and tells users of what concerns them. */
  readonly audit: Audit;
  readonly identity: Pick<Identity, 'reauthenticator' | 'mfa'>;
  /** Undefined where users have no watch directories (ENABLE_PER_USER_WATCH=false). */
  readonly watchDirectories: WatchDirectoryDeps | undefined;
  readonly cursors: Cursors;
  readonly clock: Clock;
}

/** What the routes of imports of users use. */
export interface UserImportServices extends Pick<UserServices, 'config' | 'database' | 'accounts' | 'cursors'> {
  /** Does the imports that were stored. */
  readonly userImports: Pick<UserImportRunner, 'nudge'>;
}
