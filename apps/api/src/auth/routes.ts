import type { SessionFacts } from '@sheaf/accounts';
import { findUserById, hasUsers, toUserBody } from '@sheaf/accounts/users';
import { AppError } from '@sheaf/contract';
import {
  authConfigBody,
  authTestBody,
  authTestRequest,
  type LoginBody,
  loginAnswer,
  loginBody,
  loginRequest,
  meBody,
  refreshRequest,
  type SessionBody,
  sessionBody,
  sessionListQuery,
} from '@sheaf/contract/identity';
import { englishMessage } from '@sheaf/messages/english';
import { z } from 'zod';
import { shortListRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { emptyRoute, jsonRoute, type Route } from '../http/route.ts';
import { type AuthServices, answerSignIn, clientOf } from './answer-sign-in.ts';
import { csrfName, withoutSessionCookies } from './session-cookie.ts';

const test = ({ identity, clock }: AuthServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/auth/test',
    // Choice: who may change the settings of a sign-in method may try it.
    access: 'settings.update',
    allowedBeforeMfa: true,
    carriesCredentials: true,
    summary: 'Test a user name and password with a sign-in method',
    description: 'No session is created. Wrong passwords count as failed sign-ins.',
    errors: { ACCOUNT_LOCKED: 'RATE_LIMITED' },
    body: authTestRequest,
    response: authTestBody,
    handle: async ({ body, principal, context }) => {
      const startedAt = clock.now().getTime();
      const { method, username, password } = body;
      const report = await identity.signInCheck.run(method, username, password, principal, clientOf(context));
      const { user, ...result } = report;
      return {
        ...result,
        method,
        ...(user === undefined ? {} : { user: { ...user, groups: [...user.groups] } }),
        duration_ms: clock.now().getTime() - startedAt,
      };
    },
  });

export const authTestRoutes = (services: AuthServices): readonly Route[] => [test(services)];

const login = (services: AuthServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/auth/login',
    access: 'anyone',
    carriesCredentials: true,
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
    response: loginAnswer,
    handle: async ({ body, context }) => {
      const { username, password, cookie = false, remember_me: rememberMe = false } = body;
      const signedIn = await services.identity.signIn.withPassword(username, password, clientOf(context), { cookie, rememberMe });
      return answerSignIn(signedIn, context, services);
    },
  });

const refresh = ({ identity }: AuthServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/auth/refresh',
    access: 'anyone',
    carriesCredentials: true,
    summary: 'Exchange a refresh token for new tokens',
    description: 'Each refresh token is valid once. Reuse ends the session, because the token may have been stolen.',
    errors: { UNAUTHORIZED: 'UNAUTHORIZED', FEATURE_DISABLED: 'NOT_FOUND' },
    body: refreshRequest,
    response: loginBody,
    handle: async ({ body, context }): Promise<LoginBody> => identity.refresh.withToken(body.refresh_token, clientOf(context)),
  });

const logout = ({ identity, config }: AuthServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/auth/logout',
    access: 'session',
    allowedBeforeMfa: true,
    carriesCredentials: true,
    summary: 'Sign out: end the session and revoke its tokens and cookie',
    response: z.strictObject({ success: z.literal(true) }),
    handle: async ({ principal, context }) => {
      await identity.sessions.signOut(principal, clientOf(context));
      if (principal.via === 'cookie')
        for (const line of withoutSessionCookies(config.sessions.cookie, context.connection.isSecure)) context.setCookie(line);
      return { success: true as const };
    },
  });

const me = ({ database }: AuthServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/auth/me',
    access: 'signed-in',
    allowedBeforeMfa: true,
    carriesCredentials: true,
    summary: 'Get the current user and permissions',
    response: meBody,
    handle: async ({ principal }) => {
      const user = await findUserById(database.db, principal.userId);
      if (user === undefined) throw new AppError('UNAUTHORIZED', englishMessage('errors.USER_NOT_FOUND'));
      const { permissions, mfaSetupRequired } = principal;
      return {
        ...toUserBody(user),
        auth_method: user.authMethod,
        permissions: [...permissions],
        ...(mfaSetupRequired === undefined ? {} : { mfa_setup_required: mfaSetupRequired }),
      };
    },
  });

const options = ({
  config: { signIn, oidc, saml, ldap, sessions, watch, shares },
  identity,
  registrationEnabled,
  passwordPolicy,
  database,
}: AuthServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/auth/config',
    access: 'anyone',
    carriesCredentials: true,
    summary: 'Get the available sign-in methods',
    response: authConfigBody,
    handle: async ({ context }) => {
      const isEmpty = !(await hasUsers(database.db));
      const { minLength, requireNumbers, requireSpecial } = passwordPolicy.current();
      return {
        method: signIn.method,
        registration_enabled: registrationEnabled.current(),
        oidc_enabled: oidc !== undefined,
        saml_enabled: saml !== undefined,
        ldap_enabled: ldap !== undefined && signIn.method === 'ldap',
        mfa_methods: [...identity.mfa.methods],
        setup_required: isEmpty,
        setup_code_required: isEmpty && !context.connection.isLocal,
        user_watch_enabled: watch.perUser.enabled,
        share_links_enabled: shares.enabled,
        password_rules: { min_length: minLength, require_numbers: requireNumbers, require_special: requireSpecial },
        csrf_cookie: csrfName(sessions.cookie, context.connection.isSecure),
      };
    },
  });

export const authRoutes = (services: AuthServices): readonly Route[] => [
  login(services),
  refresh(services),
  logout(services),
  me(services),
  options(services),
  ...sessionRoutes(services),
];

const toSessionBody = (session: SessionFacts, currentId: string | undefined): SessionBody => ({
  id: session.id,
  kind: session.kind,
  method: session.method,
  address: session.address,
  user_agent: session.userAgent,
  created_at: session.createdAt.toISOString(),
  last_seen_at: session.lastSeenAt.toISOString(),
  expires_at: session.expiresAt.toISOString(),
  is_current: session.id === currentId,
});

const list = ({ identity, cursors }: AuthServices): Route =>
  shortListRoute({
    cursors,
    path: '/api/auth/sessions',
    access: 'session',
    allowedBeforeMfa: true,
    carriesCredentials: true,
    summary: 'List your own sessions, newest first',
    query: sessionListQuery,
    name: 'data',
    item: sessionBody,
    key: 'id',
    // some may lie in another store than the database
    rows: async ({ principal: { userId, sessionId } }) => ({
      rows: (await identity.sessions.list(userId)).map((session) => toSessionBody(session, sessionId)),
    }),
  });

const endOne = ({ identity }: AuthServices): Route =>
  emptyRoute({
    method: 'delete',
    path: '/api/auth/sessions/{id}',
    access: 'session',
    allowedBeforeMfa: true,
    carriesCredentials: true,
    summary: 'End one of your own sessions and revoke its tokens and cookie',
    done: 'The session was ended',
    errors: { SESSION_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    handle: async ({ params, principal, context }) => {
      await identity.sessions.endOwn(principal, params.id, clientOf(context));
    },
  });

const endOthers = ({ identity }: AuthServices): Route =>
  jsonRoute({
    method: 'delete',
    path: '/api/auth/sessions',
    access: 'session',
    allowedBeforeMfa: true,
    carriesCredentials: true,
    summary: 'End all your other sessions',
    response: z.strictObject({ ended: z.int().nonnegative() }),
    handle: async ({ principal, context }) => ({ ended: await identity.sessions.endOthers(principal, clientOf(context)) }),
  });

const sessionRoutes = (services: AuthServices): readonly Route[] => [list(services), endOne(services), endOthers(services)];
