import { type Route, streamRoute } from '../http/route.ts';
import { findChangeable, requirePerson } from './changeable-user.ts';
import { userParams } from './user-params.ts';
import type { UserServices } from './user-services.ts';

export const resetMfa = (services: UserServices): Route =>
  streamRoute({
    method: 'delete',
    path: '/api/users/{user_id}/mfa',
    access: 'users.update',
    summary: 'Remove all second factors of a user who has lost them',
    description:
      'Recovery codes are removed as well, and all sessions of the user end. The user is notified, and the change is in the audit log. Not allowed for yourself, for users with more permissions, or with an API key.',
    content: { answers: [{ status: 204, description: 'Removed' }] },
    errors: { USER_NOT_FOUND: 'NOT_FOUND', MFA_DEVICE_NOT_FOUND: 'NOT_FOUND' },
    params: userParams,
    stream: async ({ params: { user_id: userId }, principal, context: { address } }, { response }) => {
      const { accounts, database, identity } = services;
      await database.db.transaction(async (tx) => {
        await findChangeable(tx, principal, userId, services);
        requirePerson(principal, userId);
        await identity.mfa.removeAll(tx, userId, { actor: principal, address });
        await accounts.sessions.endAll(tx, userId);
      });
      accounts.sessions.forget(userId);
      identity.mfa.forget(userId);
      response.status(204).end();
    },
  });
