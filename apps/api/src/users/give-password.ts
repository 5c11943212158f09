import { reasonedError } from '@sheaf/contract';
import { givePasswordRequest } from '@sheaf/contract/users';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import { requireMayChange } from '@sheaf/identity';
import { lockUser } from '@sheaf/users';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import { userParams } from './user-params.ts';
import type { UserServices } from './user-services.ts';

/** Choice: one's own password asks for the present one, and a key that leaked must not be a way to sign in as somebody. */
const requirePerson = (principal: Principal, userId: string): void => {
  if (principal.via === 'key') throw reasonedError('FORBIDDEN', 'not_with_a_key');
  if (principal.userId === userId) throw reasonedError('FORBIDDEN', 'own_password_by_profile');
};

const findChangeable = async (tx: Db, principal: Principal, id: string, { accounts }: UserServices): Promise<User> => {
  const { user, isAllowed } = await lockUser(tx, principal, 'users.update', id);
  if (!isAllowed) throw reasonedError('FORBIDDEN', 'not_your_own');
  requireMayChange(accounts.roles, principal, user);
  return user;
};

export const givePassword = (services: UserServices): Route =>
  jsonRoute({
    method: 'put',
    path: '/api/users/{user_id}/password',
    access: 'users.update',
    summary: 'Reset the password of a user',
    description:
      'Ends all sessions of the user. Second factors, API keys and a lockout remain. The user is notified, and the change is in the audit log. Not allowed for yourself, for users with more permissions, or with an API key.',
    errors: {
      USER_NOT_FOUND: 'NOT_FOUND',
      PASSWORD_KEPT_ELSEWHERE: 'DUPLICATE_RESOURCE',
      PASSWORD_CHANGED_MEANWHILE: 'DUPLICATE_RESOURCE',
    },
    params: userParams,
    body: givePasswordRequest,
    status: 200,
    response: z.strictObject({ success: z.literal(true) }),
    handle: async ({ params, body, principal, context }) => {
      requirePerson(principal, params.user_id);
      const find = (tx: Db): Promise<User> => findChangeable(tx, principal, params.user_id, services);
      await services.accounts.givenPassword.give(find, body.new_password, {
        by: 'administrator',
        actor: principal,
        address: context.address,
      });
      return { success: true as const };
    },
  });
