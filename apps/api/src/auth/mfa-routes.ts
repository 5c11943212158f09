import type { MfaService, MfaUser } from '@sheaf/accounts';
import { findUserById } from '@sheaf/accounts/users';
import { unauthorized } from '@sheaf/contract';
import {
  loginBody,
  type MfaBody,
  type MfaDeviceBody,
  mfaBody,
  mfaVerifyRequest,
  proofIn,
  type Reauthentication,
  reauthentication,
  recoveryCodesBody,
  totpEnableBody,
  totpEnableRequest,
  totpSetupBody,
  totpSetupRequest,
  webauthnLoginOptionsRequest,
  webauthnOptionsBody,
  webauthnRegisterBody,
  webauthnRegisterOptionsRequest,
  webauthnRegisterRequest,
} from '@sheaf/contract/identity';
import type { MfaDevice, User } from '@sheaf/db/schema';
import { englishMessage } from '@sheaf/messages/english';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { behindFeature } from '../http/offered-routes.ts';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type RequestContext, type Route } from '../http/route.ts';
import { type AuthServices, answerSignIn, clientOf } from './answer-sign-in.ts';

const userOf = async (principal: Principal, { database }: AuthServices): Promise<User> => {
  const user = await findUserById(database.db, principal.userId);
  if (user === undefined) throw unauthorized(englishMessage('errors.USER_NOT_FOUND'));
  return user;
};

interface ProvenRequest<B> {
  readonly principal: Principal;
  readonly body: B;
  readonly context: RequestContext;
}

/** The user, who has proven again who they are. Throws PROOF_WRONG. */
const provenUser = async ({ principal, body, context }: ProvenRequest<Reauthentication>, services: AuthServices): Promise<User> => {
  const user = await userOf(principal, services);
  await services.identity.signIn.requireProof(user, body, clientOf(context));
  return user;
};

/** The user, who may add a second factor. Throws FORBIDDEN with the reason `proof_required` or `sign_in_again`, and PROOF_WRONG. */
const enrollingUser = async (
  { principal, body, context }: ProvenRequest<Parameters<typeof proofIn>[0]>,
  services: AuthServices,
): Promise<User> => {
  const user = await userOf(principal, services);
  await services.identity.reauthenticator.require({ principal, user, proof: proofIn(body), client: clientOf(context) });
  return user;
};

const list = (services: AuthServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/auth/mfa',
    access: 'session',
    allowedBeforeMfa: true,
    carriesCredentials: true,
    summary: 'Get your second factors and the available methods',
    response: mfaBody,
    handle: async ({ principal }) => await toMfaBody(services.identity.mfa, await userOf(principal, services)),
  });

const verify = (services: AuthServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/auth/mfa/verify',
    access: 'anyone',
    carriesCredentials: true,
    summary: 'Complete a sign-in with a code, a recovery code or a passkey',
    errors: { MFA_CODE_WRONG: 'UNAUTHORIZED', MFA_TOKEN_INVALID: 'UNAUTHORIZED' },
    body: mfaVerifyRequest,
    response: loginBody,
    handle: async ({ body: { mfa_token, ...proof }, context }) => {
      const signedIn = await services.identity.signIn.completeMfa(mfa_token, proof, clientOf(context));
      return answerSignIn(signedIn, context, services);
    },
  });

const ENROLMENT_PROOF =
  'Requires re-authentication, as a change of the password does: `password`, or `code` or `credential` of an existing second factor. Users who have neither a password nor a factor must have signed in within the last ten minutes.';

const setupTotp = (services: AuthServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/auth/mfa/totp/setup',
    access: 'session',
    allowedBeforeMfa: true,
    carriesCredentials: true,
    summary: 'Create a TOTP secret for an authenticator app',
    description: `The second factor is active after a code was sent to \`totp/enable\`. Another setup replaces a secret that was not confirmed. ${ENROLMENT_PROOF}`,
    errors: { FEATURE_DISABLED: 'NOT_FOUND', PROOF_WRONG: 'FORBIDDEN' },
    body: totpSetupRequest.optional(),
    response: totpSetupBody,
    handle: async ({ principal, body = {}, context }) => {
      const user = await enrollingUser({ principal, body, context }, services);
      const { id, secret, otpauthUrl } = await services.identity.mfa.setupTotp(user, body.name);
      return { id, secret, otpauth_url: otpauthUrl };
    },
  });

const enableTotp = (services: AuthServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/auth/mfa/totp/enable',
    access: 'session',
    allowedBeforeMfa: true,
    carriesCredentials: true,
    summary: 'Confirm the authenticator app with a code; sign-in then requires a code',
    description: 'The recovery codes are returned once. The list is empty if earlier codes are still valid.',
    errors: { MFA_CODE_WRONG: 'VALIDATION_ERROR', MFA_DEVICE_NOT_FOUND: 'NOT_FOUND', FEATURE_DISABLED: 'NOT_FOUND' },
    body: totpEnableRequest,
    response: totpEnableBody,
    handle: async ({ principal, body, context }) => {
      const { recoveryCodes } = await services.identity.mfa.enableTotp(await userOf(principal, services), body.code, clientOf(context));
      return { enabled: true as const, recovery_codes: [...recoveryCodes] };
    },
  });

const registerOptions = (services: AuthServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/auth/mfa/webauthn/register/options',
    access: 'session',
    allowedBeforeMfa: true,
    carriesCredentials: true,
    summary: 'Get the options to create a passkey; valid once, for five minutes',
    description: ENROLMENT_PROOF,
    errors: { FEATURE_DISABLED: 'NOT_FOUND', PROOF_WRONG: 'FORBIDDEN' },
    body: webauthnRegisterOptionsRequest.optional(),
    response: webauthnOptionsBody,
    handle: async ({ principal, body = {}, context }) => ({
      ...(await services.identity.mfa.startWebauthnRegistration(await enrollingUser({ principal, body, context }, services))),
    }),
  });

const registerVerify = (services: AuthServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/auth/mfa/webauthn/register/verify',
    access: 'session',
    allowedBeforeMfa: true,
    carriesCredentials: true,
    summary: 'Store a passkey; sign-in then requires it',
    errors: { WEBAUTHN_REFUSED: 'VALIDATION_ERROR', FEATURE_DISABLED: 'NOT_FOUND' },
    body: webauthnRegisterRequest,
    response: webauthnRegisterBody,
    handle: async ({ principal, body: { credential, name }, context }) => {
      const user = await userOf(principal, services);
      const { device, recoveryCodes } = await services.identity.mfa.finishWebauthnRegistration(user, credential, clientOf(context), name);
      return { device: toMfaDeviceBody(device), recovery_codes: [...recoveryCodes] };
    },
  });

// Choice: signed in it is for proving oneself again before a change; with an mfa_token it is the second step of a sign-in.
const loginOptions = (services: AuthServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/auth/mfa/webauthn/login/options',
    access: 'anyone-known',
    carriesCredentials: true,
    summary: 'Get a challenge for a passkey; valid once, for five minutes',
    errors: { MFA_DEVICE_NOT_FOUND: 'NOT_FOUND', MFA_TOKEN_INVALID: 'UNAUTHORIZED' },
    body: webauthnLoginOptionsRequest.optional(),
    response: webauthnOptionsBody,
    handle: async ({ principal, body }) => {
      const token = body?.mfa_token;
      if (token === undefined && principal === undefined) throw unauthorized();
      const user =
        token !== undefined || principal === undefined
          ? await services.identity.signIn.findMfaUser(token ?? '')
          : await userOf(principal, services);
      return { ...(await services.identity.mfa.webauthnLoginOptions(user)) };
    },
  });

const recoveryCodes = (services: AuthServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/auth/mfa/recovery-codes',
    access: 'session',
    allowedBeforeMfa: true,
    carriesCredentials: true,
    summary: 'Generate ten recovery codes, returned once; invalidates the previous ones',
    errors: { MFA_DEVICE_NOT_FOUND: 'NOT_FOUND', PROOF_WRONG: 'FORBIDDEN' },
    body: reauthentication,
    response: recoveryCodesBody,
    handle: async (request) => {
      const user = await provenUser(request, services);
      return { recovery_codes: [...(await services.identity.mfa.makeRecoveryCodes(user, clientOf(request.context)))] };
    },
  });

const remove = (services: AuthServices): Route =>
  jsonRoute({
    method: 'delete',
    path: '/api/auth/mfa/{id}',
    access: 'session',
    allowedBeforeMfa: true,
    carriesCredentials: true,
    summary: 'Remove a second factor; removing the last one also deletes the recovery codes',
    description:
      'Requires re-authentication in the body: `{password}`, `{code}`, or `{credential}` for a challenge of `webauthn/login/options`.',
    errors: { MFA_DEVICE_NOT_FOUND: 'NOT_FOUND', PROOF_WRONG: 'FORBIDDEN' },
    params: idParams,
    body: reauthentication,
    response: z.strictObject({ success: z.literal(true) }),
    handle: async ({ params, ...request }) => {
      const user = await provenUser(request, services);
      await services.identity.mfa.removeDevice(user, params.id, clientOf(request.context));
      return { success: true as const };
    },
  });

/** Second factors over HTTP. An API key can do nothing here. */
export const mfaRoutes = (services: AuthServices): readonly Route[] =>
  behindFeature('MFA_ENABLED', services.config.secondFactor.enabled, [
    list(services),
    verify(services),
    setupTotp(services),
    enableTotp(services),
    registerOptions(services),
    registerVerify(services),
    loginOptions(services),
    recoveryCodes(services),
    remove(services),
  ]);

const toMfaDeviceBody = (device: MfaDevice): MfaDeviceBody => ({
  id: device.id,
  type: device.kind,
  name: device.name,
  enabled: device.enabledAt !== null,
  created_at: device.createdAt.toISOString(),
  last_used_at: device.lastUsedAt?.toISOString() ?? null,
});

/** Everything that a user may know of their second factors. */
const toMfaBody = async (mfa: MfaService, user: MfaUser): Promise<MfaBody> => {
  const [devices, left, isAsked] = await Promise.all([mfa.listDevices(user), mfa.countRecoveryCodes(user), mfa.hasEnabledDevice(user.id)]);
  return { enabled: isAsked, methods: [...mfa.methods], devices: devices.map(toMfaDeviceBody), recovery_codes_left: left };
};
