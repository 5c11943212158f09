import type { Config } from '@sheaf/config';
import {
  loginBody,
  mfaBody,
  mfaVerifyRequest,
  type Principal,
  proofIn,
  reauthentication,
  recoveryCodesBody,
  totpEnableBody,
  totpEnableRequest,
  totpSetupBody,
  totpSetupRequest,
  unauthorized,
  webauthnLoginOptionsRequest,
  webauthnOptionsBody,
  webauthnRegisterBody,
  webauthnRegisterOptionsRequest,
  webauthnRegisterRequest,
} from '@sheaf/contract';
import { findUserById, type User } from '@sheaf/db';
import { z } from 'zod';
import type { ApiDeps } from '../deps.ts';
import { behindFeature } from '../http/feature.ts';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { answerSignIn } from './answer-sign-in.ts';
import { clientOf } from './client.ts';
import { toMfaBody, toMfaDeviceBody } from './mfa-bodies.ts';

const userOf = async (principal: Principal, { database }: ApiDeps): Promise<User> => {
  const user = await findUserById(database.db, principal.userId);
  if (user === undefined) throw unauthorized('This user no longer exists.');
  return user;
};

const list = jsonRoute({
  method: 'get',
  path: '/api/auth/mfa',
  access: 'session',
  summary: 'Get your second factors and the available methods',
  status: 200,
  response: mfaBody,
  handle: async ({ principal }, deps) => await toMfaBody(deps.identity.mfa, await userOf(principal, deps)),
});

const verify = jsonRoute({
  method: 'post',
  path: '/api/auth/mfa/verify',
  access: 'anyone',
  summary: 'Complete a sign-in with a code, a recovery code or a passkey',
  errors: { MFA_CODE_WRONG: 'UNAUTHORIZED', MFA_TOKEN_INVALID: 'UNAUTHORIZED' },
  body: mfaVerifyRequest,
  status: 200,
  response: loginBody,
  handle: async ({ body: { mfa_token, ...proof }, facts }, deps) => {
    const signedIn = await deps.identity.signIn.completeMfa(mfa_token, proof, clientOf(facts));
    return answerSignIn(signedIn, facts, deps);
  },
});

const ENROLMENT_PROOF =
  'With an existing second factor, re-authentication is required: `password`, `code` or `credential`. For the first one, only if the sign-in is older than ten minutes.';

const setupTotp = jsonRoute({
  method: 'post',
  path: '/api/auth/mfa/totp/setup',
  access: 'session',
  summary: 'Create a TOTP secret for an authenticator app',
  description: `The second factor is active after a code was sent to \`totp/enable\`. Another setup replaces a secret that was not confirmed. ${ENROLMENT_PROOF}`,
  errors: { FEATURE_DISABLED: 'NOT_FOUND', PROOF_WRONG: 'FORBIDDEN' },
  body: totpSetupRequest.optional(),
  status: 200,
  response: totpSetupBody,
  handle: async ({ principal, body = {}, facts }, deps) => {
    const user = await userOf(principal, deps);
    await deps.identity.reauthenticator.requireForEnrolment({ principal, user, proof: proofIn(body), client: clientOf(facts) });
    const { id, secret, otpauthUrl } = await deps.identity.mfa.setupTotp(user, body.name);
    return { id, secret, otpauth_url: otpauthUrl };
  },
});

const enableTotp = jsonRoute({
  method: 'post',
  path: '/api/auth/mfa/totp/enable',
  access: 'session',
  summary: 'Confirm the authenticator app with a code; sign-in then requires a code',
  description: 'The recovery codes are returned once. The list is empty if earlier codes are still valid.',
  errors: { MFA_CODE_WRONG: 'VALIDATION_ERROR', MFA_DEVICE_NOT_FOUND: 'NOT_FOUND', FEATURE_DISABLED: 'NOT_FOUND' },
  body: totpEnableRequest,
  status: 200,
  response: totpEnableBody,
  handle: async ({ principal, body, facts }, deps) => {
    const { recoveryCodes } = await deps.identity.mfa.enableTotp(await userOf(principal, deps), body.code, clientOf(facts));
    return { enabled: true as const, recovery_codes: [...recoveryCodes] };
  },
});

const registerOptions = jsonRoute({
  method: 'post',
  path: '/api/auth/mfa/webauthn/register/options',
  access: 'session',
  summary: 'Get the options to create a passkey; valid once, for five minutes',
  description: ENROLMENT_PROOF,
  errors: { FEATURE_DISABLED: 'NOT_FOUND', PROOF_WRONG: 'FORBIDDEN' },
  body: webauthnRegisterOptionsRequest.optional(),
  status: 200,
  response: webauthnOptionsBody,
  handle: async ({ principal, body = {}, facts }, deps) => {
    const user = await userOf(principal, deps);
    await deps.identity.reauthenticator.requireForEnrolment({ principal, user, proof: proofIn(body), client: clientOf(facts) });
    return { ...(await deps.identity.mfa.startWebauthnRegistration(user)) };
  },
});

const registerVerify = jsonRoute({
  method: 'post',
  path: '/api/auth/mfa/webauthn/register/verify',
  access: 'session',
  summary: 'Store a passkey; sign-in then requires it',
  errors: { WEBAUTHN_REFUSED: 'VALIDATION_ERROR', FEATURE_DISABLED: 'NOT_FOUND' },
  body: webauthnRegisterRequest,
  status: 200,
  response: webauthnRegisterBody,
  handle: async ({ principal, body: { credential, name }, facts }, deps) => {
    const user = await userOf(principal, deps);
    const { device, recoveryCodes } = await deps.identity.mfa.finishWebauthnRegistration(user, credential, clientOf(facts), name);
    return { device: toMfaDeviceBody(device), recovery_codes: [...recoveryCodes] };
  },
});

// Choice: signed in it is for proving oneself again before a change; with an mfa_token it is the second step of a sign-in.
const loginOptions = jsonRoute({
  method: 'post',
  path: '/api/auth/mfa/webauthn/login/options',
  access: 'anyone-known',
  summary: 'Get a challenge for a passkey; valid once, for five minutes',
  errors: { MFA_DEVICE_NOT_FOUND: 'NOT_FOUND', MFA_TOKEN_INVALID: 'UNAUTHORIZED' },
  body: webauthnLoginOptionsRequest.optional(),
  status: 200,
  response: webauthnOptionsBody,
  handle: async ({ principal, body }, deps) => {
    const token = body?.mfa_token;
    if (token === undefined && principal === undefined) throw unauthorized();
    const user =
      token !== undefined || principal === undefined ? await deps.identity.signIn.findMfaUser(token ?? '') : await userOf(principal, deps);
    return { ...(await deps.identity.mfa.webauthnLoginOptions(user)) };
  },
});

const recoveryCodes = jsonRoute({
  method: 'post',
  path: '/api/auth/mfa/recovery-codes',
  access: 'session',
  summary: 'Generate ten recovery codes, returned once; invalidates the previous ones',
  errors: { MFA_DEVICE_NOT_FOUND: 'NOT_FOUND', PROOF_WRONG: 'FORBIDDEN' },
  body: reauthentication,
  status: 200,
  response: recoveryCodesBody,
  handle: async ({ principal, body, facts }, deps) => {
    const user = await userOf(principal, deps);
    await deps.identity.signIn.requireProof(user, body, clientOf(facts));
    return { recovery_codes: [...(await deps.identity.mfa.makeRecoveryCodes(user, clientOf(facts)))] };
  },
});

const remove = jsonRoute({
  method: 'delete',
  path: '/api/auth/mfa/{id}',
  access: 'session',
  summary: 'Remove a second factor; removing the last one also deletes the recovery codes',
  description:
    'Requires re-authentication in the body: `{password}`, `{code}`, or `{credential}` for a challenge of `webauthn/login/options`.',
  errors: { MFA_DEVICE_NOT_FOUND: 'NOT_FOUND', PROOF_WRONG: 'FORBIDDEN' },
  params: idParams,
  body: reauthentication,
  status: 200,
  response: z.strictObject({ success: z.literal(true) }),
  handle: async ({ principal, params, body, facts }, deps) => {
    const user = await userOf(principal, deps);
    await deps.identity.signIn.requireProof(user, body, clientOf(facts));
    await deps.identity.mfa.removeDevice(user, params.id, clientOf(facts));
    return { success: true as const };
  },
});

const ALL = [list, verify, setupTotp, enableTotp, registerOptions, registerVerify, loginOptions, recoveryCodes, remove];

/** Second factors over HTTP. An API key can do nothing here. */
export const mfaRoutes = ({ secondFactor }: Pick<Config, 'secondFactor'>): readonly Route[] =>
  behindFeature('MFA_ENABLED', secondFactor.enabled, ALL);
