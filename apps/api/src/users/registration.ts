import { isSetupCode, type PasswordPolicy, passwordFaults } from '@sheaf/accounts';
import { hasUsers, toUserBody } from '@sheaf/accounts/users';
import type { FixedConfig } from '@sheaf/config';
import { type Issue, reasonedError } from '@sheaf/contract';
import { registerRequest, userBody } from '@sheaf/contract/identity';
import {
  acceptInvitationRequest,
  changePasswordRequest,
  createUserRequest,
  passwordChangedBody,
  resendVerificationRequest,
  verifyEmailQuery,
  verifyEmailRequest,
} from '@sheaf/contract/users';
import type { Live } from '@sheaf/process';
import { z } from 'zod';
import { clientOf } from '../auth/answer-sign-in.ts';
import { isFromForeignPage } from '../http/request-origin.ts';
import { createRoute, jsonRoute, type RequestContext, type Route } from '../http/route.ts';
import type { UserServices } from './user-imports.ts';

/**
 * Throws FORBIDDEN unless the request may create the first administrator: it comes from this machine, or brings along the setup
 * code, and no page of another origin made a browser send it.
 */
const requireFirstAdministrator = (
  code: string | undefined,
  { connection: { isLocal }, headers }: Pick<RequestContext, 'connection' | 'headers'>,
  { publicUrl, signIn }: Pick<FixedConfig, 'publicUrl' | 'signIn'>,
): void => {
  if (isFromForeignPage(headers, publicUrl)) throw reasonedError('FORBIDDEN', 'foreign_page');
  if (code === undefined && isLocal) return;
  if (code === undefined || code.trim() === '') throw reasonedError('FORBIDDEN', 'setup_code_required');
  if (!isSetupCode(code, signIn.appSecretKey)) throw reasonedError('FORBIDDEN', 'setup_code_wrong');
};

export const register = (services: UserServices): Route =>
  createRoute({
    path: '/api/auth/register',
    access: 'anyone-known',
    carriesCredentials: true,
    summary: 'Register an account; the first one becomes the administrator',
    description:
      'With ENABLE_REGISTRATION=false, requires permission to create users. Roles above DEFAULT_USER_ROLE are rejected. With REQUIRE_EMAIL_VERIFICATION=true, the e-mail address must be confirmed first. The first administrator can be created from the host of the service, or with the `setup_code` from its log, but never from another site.',
    errors: { FORBIDDEN: 'FORBIDDEN', DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    body: registerRequest,
    alsoWrong: passwordIssues('password', services.accounts.passwordPolicy),
    response: userBody,
    handle: async ({ body: { setup_code: setupCode, ...account }, principal, context }) => {
      if (!(await hasUsers(services.database.db))) requireFirstAdministrator(setupCode, context, services.config);
      return toUserBody(await services.accounts.registration.register(account, principal, context.address));
    },
  });

const verifiedBody = z.strictObject({ success: z.literal(true), email: z.string() });

const VERIFY = {
  path: '/api/auth/verify-email',
  access: 'anyone',
  carriesCredentials: true,
  errors: { UNAUTHORIZED: 'UNAUTHORIZED' },
  response: verifiedBody,
} as const;

/** Confirms the address of the user whom the e-mail with the token was sent to. */
const verify = async ({ accounts }: UserServices, token: string, address: string | undefined): Promise<z.infer<typeof verifiedBody>> => {
  const user = await accounts.emailVerification.confirm(token, address);
  return { success: true, email: user.email };
};

export const verifyByLink = (services: UserServices): Route =>
  jsonRoute({
    ...VERIFY,
    method: 'get',
    summary: 'Confirm an e-mail address with the token from the e-mail',
    description: 'For clients that can only follow links. The link in the e-mail opens the web client, which sends the token in the body.',
    query: verifyEmailQuery,
    handle: ({ query: { token }, context: { address } }) => verify(services, token, address),
  });

export const verifyByToken = (services: UserServices): Route =>
  jsonRoute({
    ...VERIFY,
    method: 'post',
    summary: 'Confirm an e-mail address with the token in the body',
    body: verifyEmailRequest,
    handle: ({ body: { token }, context: { address } }) => verify(services, token, address),
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

export const create = ({ accounts }: UserServices): Route =>
  createRoute({
    path: '/api/users',
    access: 'users.create',
    summary: 'Create a user',
    description: '`role` defaults to DEFAULT_USER_ROLE. You cannot assign a role with more permissions than your own.',
    errors: { DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    body: createUserRequest,
    response: userBody,
    handle: async ({ body, principal, context }) => toUserBody(await accounts.registration.register(body, principal, context.address)),
  });

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
    response: done,
    handle: async ({ body, context }) => {
      await accounts.invitations.accept(body.token, body.password, context.address);
      return { success: true as const };
    },
  });

const owner = z.object({ username: z.string().catch(''), email: z.string().catch('') });

/** Returns what the policy has against the password in `field` of a body, however wrong the rest of the body is. */
const passwordIssues =
  (field: 'password' | 'new_password', policy: Live<PasswordPolicy>) =>
  (given: unknown): readonly Issue[] => {
    const body = z.object({ [field]: z.string() }).safeParse(given);
    const password = body.data?.[field];
    return password === undefined ? [] : passwordFaults(password, policy.current(), owner.parse(given), field);
  };
