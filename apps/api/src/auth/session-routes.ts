import type { SessionFacts } from '@sheaf/accounts';
import { type SessionBody, sessionBody, sessionListQuery } from '@sheaf/contract/identity';
import { z } from 'zod';
import { idParams } from '../http/parse-input.ts';
import { emptyRoute, jsonRoute, type Route } from '../http/route.ts';
import { shortListRoute } from '../http/short-list.ts';
import type { AuthServices } from './auth-services.ts';
import { clientOf } from './client.ts';

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
    status: 200,
    response: z.strictObject({ ended: z.int().nonnegative() }),
    handle: async ({ principal, context }) => ({ ended: await identity.sessions.endOthers(principal, clientOf(context)) }),
  });

export const sessionRoutes = (services: AuthServices): readonly Route[] => [list(services), endOne(services), endOthers(services)];
