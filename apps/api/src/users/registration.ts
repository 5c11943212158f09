import { registerRequest, resendVerificationRequest, userBody, verifyEmailQuery, verifyEmailRequest } from '@sheaf/contract';
import { hasUsers, toUserBody } from '@sheaf/db';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import { requireFirstAdministrator } from './first-administrator.ts';
import type { UserServices } from './user-services.ts';

export const register = (services: UserServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/auth/register',
    access: 'anyone-known',
    carriesCredentials: true,
    summary: 'Make an account; while none exists, the first administrator',
    description:
      'Where registration is closed (ENABLE_REGISTRATION=false) only who may create users can do this. A role above DEFAULT_USER_ROLE is refused. Where REQUIRE_EMAIL_VERIFICATION is on, a mail with a link comes first. The first administrator is made from the machine of the service itself, or with the `setup_code` that its log has, and never from a page of another site.',
    errors: { FORBIDDEN: 'FORBIDDEN', DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    body: registerRequest,
    status: 201,
    response: userBody,
    handle: async ({ body: { setup_code: setupCode, ...account }, principal, context }) => {
      if (!(await hasUsers(services.database.db))) requireFirstAdministrator(setupCode, context, services.config);
      return toUserBody(await services.accounts.registration.register(account, principal, context.address));
    },
  });

const verifiedBody = z.strictObject({ success: z.literal(true), email: z.string() });

export const verifyByLink = ({ accounts }: UserServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/auth/verify-email',
    access: 'anyone',
    carriesCredentials: true,
    summary: 'Prove an e-mail address with the token of the mail that asks for it',
    description: 'Mails link to the web client, which sends the token in a body; this is for clients that can only follow links.',
    errors: { UNAUTHORIZED: 'UNAUTHORIZED' },
    query: verifyEmailQuery,
    status: 200,
    response: verifiedBody,
    handle: async ({ query, context }) => {
      const user = await accounts.emailVerification.confirm(query.token, context.address);
      return { success: true as const, email: user.email };
    },
  });

export const verifyByToken = ({ accounts }: UserServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/auth/verify-email',
    access: 'anyone',
    carriesCredentials: true,
    summary: 'The same with the token in the body',
    errors: { UNAUTHORIZED: 'UNAUTHORIZED' },
    body: verifyEmailRequest,
    status: 200,
    response: verifiedBody,
    handle: async ({ body, context }) => {
      const user = await accounts.emailVerification.confirm(body.token, context.address);
      return { success: true as const, email: user.email };
    },
  });

export const resendVerification = ({ accounts }: UserServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/auth/resend-verification',
    access: 'anyone',
    carriesCredentials: true,
    summary: 'Ask for another mail with a link; three an hour at most',
    description: 'The answer is the same whether or not somebody has this address.',
    body: resendVerificationRequest,
    status: 202,
    response: z.strictObject({ success: z.literal(true) }),
    handle: async ({ body }) => {
      await accounts.emailVerification.resend(body.email);
      return { success: true as const };
    },
  });
