import { pageQuery } from '@sheaf/contract';
import { type SessionBody, sessionBody } from '@sheaf/contract/identity';
import type { SessionFacts } from '@sheaf/identity';
import { z } from 'zod';
import { listRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route, streamRoute } from '../http/route.ts';
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

type Placed = Pick<SessionBody, 'created_at' | 'id'>;

const byNewest = (a: Placed, b: Placed): number =>
  a.created_at === b.created_at ? (a.id < b.id ? 1 : a.id > b.id ? -1 : 0) : a.created_at < b.created_at ? 1 : -1;

const list = ({ identity, cursors }: AuthServices): Route =>
  listRoute({
    cursors,
    path: '/api/auth/sessions',
    access: 'session',
    allowedBeforeMfa: true,
    carriesCredentials: true,
    summary: 'List your own sessions, newest first',
    query: pageQuery,
    name: 'data',
    item: sessionBody,
    page: async ({ query, principal }) => {
      const sessions = await identity.sessions.list(principal.userId);
      const from = (query.page - 1) * query.per_page;
      const rows = sessions.slice(from, from + query.per_page).map((session) => toSessionBody(session, principal.sessionId));
      return { rows, total: sessions.length };
    },
    // they are few, and some may lie in another store than the database
    cut: async ({ principal }, { after: [time = '', id = ''] = [], limit }) => {
      const sessions = (await identity.sessions.list(principal.userId)).map((session) => toSessionBody(session, principal.sessionId));
      const placed = sessions
        .toSorted(byNewest)
        .filter((session) => time === '' || byNewest({ created_at: time ?? '', id: id ?? '' }, session) < 0);
      const rows = placed.slice(0, limit);
      const last = rows.at(-1);
      return { rows, next: last === undefined || placed.length <= limit ? undefined : [last.created_at, last.id] };
    },
  });

const endOne = ({ identity }: AuthServices): Route =>
  streamRoute({
    method: 'delete',
    path: '/api/auth/sessions/{id}',
    access: 'session',
    allowedBeforeMfa: true,
    carriesCredentials: true,
    summary: 'End one of your own sessions and revoke its tokens and cookie',
    content: { answers: [{ status: 204, description: 'The session was ended' }] },
    errors: { SESSION_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    stream: async ({ params, principal, context }, { response }) => {
      await identity.sessions.endOwn(principal, params.id, clientOf(context));
      response.status(204).end();
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
