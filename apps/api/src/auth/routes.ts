import type { Config } from '@sheaf/config';
import { AppError, authConfigBody, type LoginBody, loginAnswer, loginBody, loginRequest, meBody, refreshRequest } from '@sheaf/contract';
import { findUserById, hasUsers, toUserBody } from '@sheaf/db';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import { answerSignIn } from './answer-sign-in.ts';
import { clientOf } from './client.ts';
import { csrfName, withoutSessionCookies } from './session-cookie.ts';
import { sessionRoutes } from './session-routes.ts';

const login = jsonRoute({
  method: 'post',
  path: '/api/auth/login',
  access: 'anyone',
  summary: 'Sign in with user name or e-mail address and password',
  description:
    'If a second factor is required, the response is `{mfa_required, mfa_token, methods}` and the sign-in continues at `/api/auth/mfa/verify`. ' +
    'With `"cookie": true` a browser session is started: the response sets its cookie, and `csrf_token` must be sent as `X-CSRF-Token` with every change.',
  errors: {
    UNAUTHORIZED: 'UNAUTHORIZED',
    ACCOUNT_LOCKED: 'RATE_LIMITED',
    EMAIL_NOT_VERIFIED: 'FORBIDDEN',
    ACCOUNT_NOT_KNOWN: 'FORBIDDEN',
  },
  body: loginRequest,
  status: 200,
  response: loginAnswer,
  handle: async ({ body, facts }, deps) => {
    const { username, password, cookie = false, remember_me: rememberMe = false } = body;
    const signedIn = await deps.identity.signIn.withPassword(username, password, clientOf(facts), { cookie, rememberMe });
    return answerSignIn(signedIn, facts, deps);
  },
});

const refresh = jsonRoute({
  method: 'post',
  path: '/api/auth/refresh',
  access: 'anyone',
  summary: 'Exchange a refresh token for new tokens',
  description: 'Each refresh token is valid once. Reuse ends the session, because the token may have been stolen.',
  errors: { UNAUTHORIZED: 'UNAUTHORIZED', FEATURE_DISABLED: 'NOT_FOUND' },
  body: refreshRequest,
  status: 200,
  response: loginBody,
  handle: async ({ body, facts }, { identity }): Promise<LoginBody> => identity.refresh.withToken(body.refresh_token, clientOf(facts)),
});

const logout = jsonRoute({
  method: 'post',
  path: '/api/auth/logout',
  access: 'session',
  summary: 'Sign out: end the session and revoke its tokens and cookie',
  status: 200,
  response: z.strictObject({ success: z.literal(true) }),
  handle: async ({ principal, facts }, { identity, config }) => {
    await identity.sessions.signOut(principal, clientOf(facts));
    if (principal.via === 'cookie') for (const line of withoutSessionCookies(config.sessions.cookie, facts.isSecure)) facts.setCookie(line);
    return { success: true as const };
  },
});

const me = jsonRoute({
  method: 'get',
  path: '/api/auth/me',
  access: 'signed-in',
  summary: 'Get the current user and permissions',
  status: 200,
  response: meBody,
  handle: async ({ principal }, { database }) => {
    const user = await findUserById(database.db, principal.userId);
    if (user === undefined) throw new AppError('UNAUTHORIZED', 'This user no longer exists.');
    const { permissions, mfaSetupRequired } = principal;
    return {
      ...toUserBody(user),
      auth_method: user.authMethod,
      permissions: [...permissions],
      ...(mfaSetupRequired === undefined ? {} : { mfa_setup_required: mfaSetupRequired }),
    };
  },
});

const options = ({ signIn, oidc, saml, ldap, sessions, watch }: Config) =>
  jsonRoute({
    method: 'get',
    path: '/api/auth/config',
    access: 'anyone',
    summary: 'Get the available sign-in methods',
    status: 200,
    response: authConfigBody,
    handle: async ({ facts }, { identity, database }) => {
      const isEmpty = !(await hasUsers(database.db));
      return {
        method: signIn.method,
        registration_enabled: signIn.registrationEnabled,
        oidc_enabled: oidc !== undefined,
        saml_enabled: saml !== undefined,
        ldap_enabled: ldap !== undefined && signIn.method === 'ldap',
        mfa_methods: [...identity.mfa.methods],
        setup_required: isEmpty,
        setup_code_required: isEmpty && !facts.isLocal,
        user_watch_enabled: watch.perUser.enabled,
        csrf_cookie: csrfName(sessions.cookie, facts.isSecure),
      };
    },
  });

export const authRoutes = (config: Config): readonly Route[] => [login, refresh, logout, me, options(config), ...sessionRoutes];
