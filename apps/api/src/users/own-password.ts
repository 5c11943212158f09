import { acceptInvitationRequest, changePasswordRequest, passwordChangedBody } from '@sheaf/contract/users';
import { z } from 'zod';
import { clientOf } from '../auth/client.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { passwordIssues } from './password-issues.ts';
import type { UserServices } from './user-services.ts';

const done = z.strictObject({ success: z.literal(true) });

export const changePassword = ({ accounts }: UserServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/users/change-password',
    access: 'session',
    summary: 'Change your own password; ends your other sessions',
    description:
      'Wrong current passwords count as failed sign-ins; the answer has `issues` if the new password breaks a rule as well. API keys and app tokens remain unless `revoke_keys` is true; GET /api/keys lists them with their last use. Not allowed with an API key.',
    errors: { CURRENT_PASSWORD_WRONG: 'FORBIDDEN', ACCOUNT_LOCKED: 'RATE_LIMITED' },
    body: changePasswordRequest,
    alsoWrong: passwordIssues('new_password', accounts.passwordPolicy),
    status: 200,
    response: passwordChangedBody,
    handle: async ({ body, principal, context }) => {
      const change = { current: body.current_password, wanted: body.new_password, revokesKeys: body.revoke_keys };
      return { success: true as const, revoked_keys: await accounts.ownPassword.change(principal, change, clientOf(context)) };
    },
  });

export const acceptInvitation = ({ accounts }: UserServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/auth/invitation',
    access: 'anyone',
    carriesCredentials: true,
    summary: 'Set the first password with an invitation',
    errors: { UNAUTHORIZED: 'UNAUTHORIZED' },
    body: acceptInvitationRequest,
    status: 200,
    response: done,
    handle: async ({ body, context }) => {
      await accounts.invitations.accept(body.token, body.password, context.address);
      return { success: true as const };
    },
  });
