import { reasonedError } from '@sheaf/contract';
import { invitationBody } from '@sheaf/contract/users';
import { jsonRoute, type Route } from '../http/route.ts';
import { findChangeable, requirePerson } from './changeable-user.ts';
import { userParams } from './user-params.ts';
import type { UserServices } from './user-services.ts';

export const inviteUser = (services: UserServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/users/{user_id}/invitation',
    access: 'users.update',
    summary: 'Invite a user without a password again',
    description:
      'The new invitation is valid for 7 days and replaces an earlier one. It is returned once, and sent by e-mail if SMTP is configured. Not allowed with an API key.',
    errors: { USER_NOT_FOUND: 'NOT_FOUND', DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    params: userParams,
    status: 201,
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
