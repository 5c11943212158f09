import { pageQuery, paginationBody, type SessionBody, sessionBody, toPagination } from '@sheaf/contract';
import type { SessionFacts } from '@sheaf/identity';
import { z } from 'zod';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route, streamRoute } from '../http/route.ts';
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

const list = jsonRoute({
  method: 'get',
  path: '/api/auth/sessions',
  access: 'session',
  summary: 'Your own sessions, the newest first',
  query: pageQuery,
  status: 200,
  response: z.strictObject({ data: z.array(sessionBody), pagination: paginationBody }),
  handle: async ({ query, principal }, { identity }) => {
    const sessions = await identity.sessions.list(principal.userId);
    const from = (query.page - 1) * query.per_page;
    const data = sessions.slice(from, from + query.per_page).map((session) => toSessionBody(session, principal.sessionId));
    return { data, pagination: toPagination(query, sessions.length) };
  },
});

const endOne = streamRoute({
  method: 'delete',
  path: '/api/auth/sessions/{id}',
  access: 'session',
  summary: 'End one of your own sessions; its tokens and its cookie stop working at once',
  content: { answers: [{ status: 204, description: 'It is over' }] },
  errors: { SESSION_NOT_FOUND: 'NOT_FOUND' },
  params: idParams,
  stream: async ({ params, principal, facts }, { identity }, { response }) => {
    await identity.sessions.endOwn(principal, params.id.toLowerCase(), clientOf(facts));
    response.status(204).end();
  },
});

const endOthers = jsonRoute({
  method: 'delete',
  path: '/api/auth/sessions',
  access: 'session',
  summary: 'End all your sessions but the present one',
  status: 200,
  response: z.strictObject({ ended: z.int().nonnegative() }),
  handle: async ({ principal, facts }, { identity }) => ({ ended: await identity.sessions.endOthers(principal, clientOf(facts)) }),
});

export const sessionRoutes: readonly Route[] = [list, endOne, endOthers];
