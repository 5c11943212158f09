import { type SessionBody, sessionBody, sessionListQuery } from '@sheaf/contract/identity';
import type { SessionFacts } from '@sheaf/identity';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { listRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { emptyRoute, jsonRoute, type Route } from '../http/route.ts';
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

type SessionOrder = Pick<z.infer<typeof sessionListQuery>, 'sort' | 'order'>;

/** The sort field of a session, and its id where that is equal. */
const placeOf = (session: SessionBody, { sort }: SessionOrder): readonly [string, string] => [session[sort], session.id];

/** Below 0 where `a` comes first. Times are texts of one form, so that their order is that of their letters. */
const compare = (
  [time, id]: readonly [string, string],
  [otherTime, otherId]: readonly [string, string],
  { order }: SessionOrder,
): number => {
  const ascending = time === otherTime ? (id < otherId ? -1 : Number(id > otherId)) : time < otherTime ? -1 : 1;
  return order === 'asc' ? ascending : -ascending;
};

const ownSessions = async (
  identity: AuthServices['identity'],
  principal: Principal,
  order: SessionOrder,
): Promise<readonly SessionBody[]> => {
  const sessions = await identity.sessions.list(principal.userId);
  return sessions
    .map((session) => toSessionBody(session, principal.sessionId))
    .toSorted((a, b) => compare(placeOf(a, order), placeOf(b, order), order));
};

const list = ({ identity, cursors }: AuthServices): Route =>
  listRoute({
    cursors,
    path: '/api/auth/sessions',
    access: 'session',
    allowedBeforeMfa: true,
    carriesCredentials: true,
    summary: 'List your own sessions, newest first',
    query: sessionListQuery,
    name: 'data',
    item: sessionBody,
    // they are few, and some may lie in another store than the database
    page: async ({ query, principal }) => {
      const sessions = await ownSessions(identity, principal, query);
      const from = (query.page - 1) * query.per_page;
      return { rows: sessions.slice(from, from + query.per_page), total: sessions.length };
    },
    cut: async ({ query, principal }, { after, limit }) => {
      const sessions = await ownSessions(identity, principal, query);
      const [time, id] = after ?? [];
      const behind =
        typeof time === 'string' && typeof id === 'string'
          ? sessions.filter((session) => compare([time, id], placeOf(session, query), query) < 0)
          : sessions;
      const rows = behind.slice(0, limit);
      const last = rows.at(-1);
      return { rows, next: last === undefined || behind.length <= limit ? undefined : placeOf(last, query) };
    },
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
