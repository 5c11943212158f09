import { givePasswordRequest } from '@sheaf/contract/users';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
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
