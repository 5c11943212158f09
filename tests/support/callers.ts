import type { Route } from '@sheaf/api/testing';
import { missingForImport } from '@sheaf/vocabulary/imports';
import { scopeOf } from '@sheaf/vocabulary/permissions';
import { ENDPOINT_ACCESS } from './endpoint-access.ts';
import { bearer, givenPerson, type Headers, type Person } from './person.ts';
import type { RunningApi } from './running-api.ts';

/** What becomes of a request at the door: past it, or refused with this status. */
export type Expected = 'in' | 401 | 403;

/** Somebody with credentials of some kind, and what they are worth at each route. */
export interface Caller {
  readonly name: string;
  /** Makes the credentials, of an administrator who has nothing else. */
  readonly open: (person: Person) => Promise<Headers>;
  readonly expected: (route: Route) => Expected;
}

export const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

const isOpen = (route: Route): boolean => ENDPOINT_ACCESS[nameOf(route)]?.includes('nobody') === true;
const isWrite = ({ method }: Route): boolean => method !== 'get';

const turnedAway = (route: Route): Expected => (isOpen(route) ? 'in' : 401);
const mayOnlyRead = (route: Route): Expected => (isWrite(route) && route.access !== 'anyone' ? 403 : 'in');

/** A route that is not about an action is open to a key where it is not for people only. */
const byActions =
  (mayDo: (route: Route) => boolean) =>
  (route: Route): Expected => {
    if (isOpen(route) || route.access === 'signed-in') return 'in';
    return route.access === 'session' || route.access === 'keys.create' || !mayDo(route) ? 403 : 'in';
  };

/** What would outlast a key is not in `*`. */
const NOT_IN_STAR: ReadonlySet<string> = new Set(['users.create', 'users.update', 'documents.share']);

/** They ask at the door for all that an import does. */
const START_IMPORTS: readonly string[] = ['post /api/imports', 'post /api/imports/{id}/start'];

const byScope = (scope: readonly string[]) =>
  byActions((route) => {
    const { access } = route;
    if (START_IMPORTS.includes(nameOf(route)) && missingForImport(scope) !== undefined) return false;
    return scopeOf(NOT_IN_STAR.has(access) ? scope.filter((each) => each !== '*') : scope, access as never) !== 'none';
  });

/** Credentials that were good, were used and remembered, and are not good any more. */
const ended = ({ admin, anyone, database }: RunningApi): readonly Caller[] => {
  const used = async (headers: Headers): Promise<Headers> => {
    await (await anyone.request('/api/auth/me', { headers })).arrayBuffer();
    return headers;
  };
  return [
    {
      name: 'a session that was signed out of',
      open: async ({ client, token }) => {
        await client.post('/api/auth/logout', {});
        return bearer(token);
      },
      expected: turnedAway,
    },
    {
      name: 'a browser that was signed out',
      open: async ({ openBrowser }) => {
        const { cookie, csrf } = await openBrowser();
        const headers = await used({ cookie, 'x-csrf-token': csrf });
        await (await anyone.request('/api/auth/logout', { method: 'POST', headers })).arrayBuffer();
        return headers;
      },
      expected: turnedAway,
    },
    {
      name: 'a session that another one of its user ended',
      open: async ({ client, openBrowser }) => {
        const { cookie, csrf } = await openBrowser();
        const headers = await used({ cookie, 'x-csrf-token': csrf });
        await client.delete('/api/auth/sessions');
        return headers;
      },
      expected: turnedAway,
    },
    ...(['token', 'key', 'cookie'] as const).map((kind) => ({
      name: `the ${kind} of a disabled user`,
      open: async (person: Person) => {
        const headers = await used(await credentialsOf(person, kind));
        await admin.send('PUT', `/api/users/${person.id}`, { disabled: true });
        return headers;
      },
      expected: turnedAway,
    })),
    ...(['token', 'key', 'cookie'] as const).map((kind) => ({
      name: `the ${kind} of a deleted user`,
      open: async (person: Person) => {
        const headers = await used(await credentialsOf(person, kind));
        await admin.delete(`/api/users/${person.id}`);
        return headers;
      },
      expected: turnedAway,
    })),
    {
      name: 'an expired key',
      open: async ({ makeKey }) => {
        const { id, headers } = await makeKey(['*']);
        await database.pool.query(`update api_keys set expires_at = now() - interval '1 second' where id = $1`, [id]);
        return headers;
      },
      expected: turnedAway,
    },
    {
      name: 'a revoked key',
      open: async ({ client, makeKey }) => {
        const { id, headers } = await makeKey(['*']);
        await used(headers);
        await client.delete(`/api/keys/${id}`);
        return headers;
      },
      expected: turnedAway,
    },
  ];
};

const credentialsOf = async ({ token, makeKey, openBrowser }: Person, kind: 'token' | 'key' | 'cookie'): Promise<Headers> => {
  if (kind === 'token') return bearer(token);
  if (kind === 'key') return (await makeKey(['*'])).headers;
  const { cookie, csrf } = await openBrowser();
  return { cookie, 'x-csrf-token': csrf };
};

/** Credentials that are good for something else, or sent by somebody else. */
const misused: readonly Caller[] = [
  { name: 'a refresh token in place of an access token', open: async ({ refreshToken }) => bearer(refreshToken), expected: turnedAway },
  { name: 'a key in place of an access token', open: async ({ makeKey }) => bearer((await makeKey(['*'])).key), expected: turnedAway },
  { name: 'an access token in place of a key', open: async ({ token }) => ({ 'x-api-key': token }), expected: turnedAway },
  {
    name: 'a bad token beside a good cookie',
    open: async (person) => ({ ...(await credentialsOf(person, 'cookie')), ...bearer('not.a.token') }),
    expected: turnedAway,
  },
  {
    name: 'a cookie without its CSRF token',
    open: async ({ openBrowser }) => ({ cookie: (await openBrowser()).cookie }),
    expected: mayOnlyRead,
  },
  {
    name: 'a cookie with the CSRF token of another session',
    open: async ({ openBrowser }) => ({ cookie: (await openBrowser()).cookie, 'x-csrf-token': (await openBrowser()).csrf }),
    expected: mayOnlyRead,
  },
  {
    name: 'a page of another site, with cookie and token',
    open: async (person) => ({ ...(await credentialsOf(person, 'cookie')), 'sec-fetch-site': 'cross-site' }),
    expected: mayOnlyRead,
  },
  {
    name: 'a page of another origin, in a browser that sends nothing newer',
    open: async (person) => ({ ...(await credentialsOf(person, 'cookie')), origin: 'https://evil.example' }),
    expected: mayOnlyRead,
  },
];

/** Credentials that are good, as far as they reach. */
const good = ({ admin, anyone }: RunningApi): readonly Caller[] => [
  { name: 'a token', open: (person) => credentialsOf(person, 'token'), expected: () => 'in' },
  { name: 'a cookie with its CSRF token', open: (person) => credentialsOf(person, 'cookie'), expected: () => 'in' },
  { name: 'a key for everything', open: (person) => credentialsOf(person, 'key'), expected: byScope(['*']) },
  ...[['reports.generate'], ['documents.read', 'labels.read'], ['users.*', 'settings.*']].map((scope) => ({
    name: `a key for ${scope.join(', ')}`,
    open: async ({ makeKey }: Person) => (await makeKey(scope)).headers,
    expected: byScope(scope),
  })),
  {
    name: 'a key for everything whose owner has become a viewer',
    open: async (person) => {
      const headers = await credentialsOf(person, 'key');
      await (await anyone.request('/api/auth/me', { headers })).arrayBuffer();
      await admin.send('PUT', `/api/users/${person.id}`, { role: 'viewer' });
      return headers;
    },
    expected: byActions((route) => ENDPOINT_ACCESS[nameOf(route)]?.includes('viewer') === true),
  },
];

/** A new administrator with nothing but themselves. */
export const givenAdministrator = (api: RunningApi): Promise<Person> => givenPerson(api, 'admin');

export const allCallers = (api: RunningApi): readonly Caller[] => [...ended(api), ...misused, ...good(api)];
