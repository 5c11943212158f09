import { AppError, loginBody, loginRequest, meBody, registerRequest, userBody } from '@sheaf/contract';
import { findUserById, toUserBody } from '@sheaf/db';
import { z } from 'zod';
import { jsonRoute, type RequestFacts, type Route } from '../http/route.ts';

const clientOf = ({ address, headers }: RequestFacts) => ({ address, userAgent: headers['user-agent']?.slice(0, 500) });

const login = jsonRoute({
  method: 'post',
  path: '/api/auth/login',
  access: 'anyone',
  summary: 'Sign in with a name or an e-mail address and a password',
  errors: { UNAUTHORIZED: 'UNAUTHORIZED' },
  body: loginRequest,
  status: 200,
  response: loginBody,
  handle: ({ body, facts }, { identity }) => identity.login(body.username, body.password, clientOf(facts)),
});

const register = jsonRoute({
  method: 'post',
  path: '/api/auth/register',
  access: 'anyone-known',
  summary: 'Make an account; while none exists, the first administrator',
  errors: { FORBIDDEN: 'FORBIDDEN', DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
  body: registerRequest,
  status: 201,
  response: userBody,
  handle: async ({ body, principal }, { identity }) => toUserBody(await identity.register(body, principal)),
});

const logout = jsonRoute({
  method: 'post',
  path: '/api/auth/logout',
  access: 'signed-in',
  summary: 'End the session; its token stops working at once',
  status: 200,
  response: z.strictObject({ success: z.literal(true) }),
  handle: async ({ principal }, { identity }) => {
    if (principal.sessionId !== undefined) await identity.logout(principal.sessionId);
    return { success: true as const };
  },
});

const me = jsonRoute({
  method: 'get',
  path: '/api/auth/me',
  access: 'signed-in',
  summary: 'Who is asking, and what he may do',
  status: 200,
  response: meBody,
  handle: async ({ principal }, { database }) => {
    const user = await findUserById(database.db, principal.userId);
    if (user === undefined) throw new AppError('UNAUTHORIZED', 'This user does not exist any more');
    return { ...toUserBody(user), permissions: [...principal.permissions] };
  },
});

export const authRoutes: readonly Route[] = [login, register, logout, me];
