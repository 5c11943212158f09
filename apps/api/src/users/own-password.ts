import { acceptInvitationRequest, changePasswordRequest } from '@sheaf/contract';
import { z } from 'zod';
import { clientOf } from '../auth/client.ts';
import { jsonRoute } from '../http/route.ts';

const done = z.strictObject({ success: z.literal(true) });

export const changePassword = jsonRoute({
  method: 'post',
  path: '/api/users/change-password',
  access: 'session',
  summary: 'Change your own password; ends your other sessions',
  description: 'Wrong current passwords count as failed sign-ins. Not allowed with an API key.',
  errors: { CURRENT_PASSWORD_WRONG: 'FORBIDDEN', ACCOUNT_LOCKED: 'RATE_LIMITED' },
  body: changePasswordRequest,
  status: 200,
  response: done,
  handle: async ({ body, principal, facts }, { accounts }) => {
    await accounts.ownPassword.change(principal, { current: body.current_password, wanted: body.new_password }, clientOf(facts));
    return { success: true as const };
  },
});

export const acceptInvitation = jsonRoute({
  method: 'post',
  path: '/api/auth/invitation',
  access: 'anyone',
  summary: 'Set the first password with an invitation',
  errors: { UNAUTHORIZED: 'UNAUTHORIZED' },
  body: acceptInvitationRequest,
  status: 200,
  response: done,
  handle: async ({ body, facts }, { accounts }) => {
    await accounts.invitations.accept(body.token, body.password, facts.address);
    return { success: true as const };
  },
});
