import { registerRequest, userBody } from '@sheaf/contract/identity';
import { resendVerificationRequest, verifyEmailQuery, verifyEmailRequest } from '@sheaf/contract/users';
import { hasUsers, toUserBody } from '@sheaf/users';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import { requireFirstAdministrator } from './first-administrator.ts';
import { passwordIssues } from './password-issues.ts';
import type { UserServices } from './user-services.ts';

export const register = (services: UserServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/auth/register',
    access: 'anyone-known',
    carriesCredentials: true,
    summary: 'Register an account; the first one becomes the administrator',
    description:
      'With ENABLE_REGISTRATION=false, requires permission to create users. Roles above DEFAULT_USER_ROLE are rejected. With REQUIRE_EMAIL_VERIFICATION=true, the e-mail address must be confirmed first. The first administrator can be created from the host of the service, or with the `setup_code` from its log, but never from another site.',
    errors: { FORBIDDEN: 'FORBIDDEN', DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    body: registerRequest,
    alsoWrong: passwordIssues('password', services.accounts.passwordPolicy),
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
    summary: 'Confirm an e-mail address with the token from the e-mail',
    description: 'For clients that can only follow links. The link in the e-mail opens the web client, which sends the token in the body.',
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
    summary: 'Confirm an e-mail address with the token in the body',
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
    summary: 'Resend the confirmation e-mail; at most three per hour',
    description: 'The response is the same for unknown addresses.',
    body: resendVerificationRequest,
    status: 202,
    response: z.strictObject({ success: z.literal(true) }),
    handle: async ({ body }) => {
      await accounts.emailVerification.resend(body.email);
      return { success: true as const };
    },
  });
