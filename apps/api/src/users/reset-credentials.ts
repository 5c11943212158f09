import { givePasswordRequest, passwordChangedBody } from '@sheaf/contract/users';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import { emptyRoute, jsonRoute, type Route } from '../http/route.ts';
import { findChangeable, requirePerson } from './changeable-user.ts';
import { userParams } from './user-params.ts';
import type { UserServices } from './user-services.ts';

export const givePassword = (services: UserServices): Route =>
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
    status: 200,
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

export const resetMfa = (services: UserServices): Route =>
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
