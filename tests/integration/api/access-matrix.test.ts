// Every route with every kind of credentials. What the roles may do stands in access.test.ts.

import { describeRoutes, type Route } from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import { uuidv7 } from '@sheaf/process';
import type { ApiClient } from '@sheaf/testkit';
import type { ExecutionContext } from 'ava';
import { allCallers, type Caller, givenAdministrator, nameOf } from '../../support/callers.ts';
import { compareWithTable, NO_DIFFERENCES, wrongRoles } from '../../support/endpoint-differences.ts';
import { conditionOf } from '../../support/error-condition.ts';
import { inTurn } from '../../support/full-run.ts';
import { type Headers, openBrowser } from '../../support/person.ts';
import { type RunningApi, startApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ SESSION_MAX_CONCURRENT: '0', MFA_ENABLED: 'true' });
const { config } = loadConfig({ environment: {} });

/** These end what they are called with, so they are called last, each with credentials of its own. */
const ENDS_SESSIONS: ReadonlySet<string> = new Set(['post /api/auth/logout', 'delete /api/auth/sessions']);

const PASSWORD = 'correct horse battery';

/** What is sent along where the door depends on it; else nothing is, and whoever is let in hears that something is missing. */
const BODIES: Readonly<Record<string, unknown>> = {
  'post /api/auth/mfa/webauthn/login/options': { mfa_token: 'none of a sign-in' },
  'post /api/auth/mfa/totp/setup': { password: PASSWORD },
  'post /api/auth/mfa/webauthn/register/options': { password: PASSWORD },
};

interface Outcome {
  readonly status: number;
  readonly code: string;
}

const call = async (client: ApiClient, route: Route, headers: Headers): Promise<Outcome> => {
  const path = route.path.replaceAll(/\{\w+\}/g, () => uuidv7());
  const body = BODIES[nameOf(route)];
  const response = await client.request(path, {
    method: route.method.toUpperCase(),
    redirect: 'manual',
    ...(body === undefined ? { headers } : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const code = (text.startsWith('{"error"') ? conditionOf(JSON.parse(text)) : undefined) ?? '';
  return { status: response.status, code };
};

/** Refused at the door, and not because of what the request says. */
const wasRefused = ({ status, code }: Outcome): boolean =>
  (status === 401 || status === 403) && /^(UNAUTHORIZED|FORBIDDEN|CSRF_TOKEN_INVALID)$/.test(code);

/** Calls `route` as `caller` with `headers`, and compares what becomes of it with what should. */
const check = async (t: ExecutionContext<RunningApi>, route: Route, { name, expected }: Caller, headers: Headers): Promise<void> => {
  const outcome = await call(t.context.anyone, route, headers);
  const what = [`${nameOf(route)} for ${name}: ${outcome.status} ${outcome.code}`, ...wrongRoles(route)].join('\n');
  const status = expected(route);
  if (status === 'in') t.false(wasRefused(outcome), what);
  else t.is(outcome.status, status, what);
};

/** A caller in the usual run calls a sixth of the routes, the next caller another sixth. */
const runThrough = async (t: ExecutionContext<RunningApi>, caller: Caller, turn: number): Promise<void> => {
  const routes = Map.groupBy(describeRoutes(config), (route) => ENDS_SESSIONS.has(nameOf(route)));
  const headers = await caller.open(await givenAdministrator(t.context));
  for (const route of inTurn(turn, 6, routes.get(false) ?? [])) await check(t, route, caller, headers);
  for (const route of inTurn(turn, 2, routes.get(true) ?? []))
    await check(t, route, caller, await caller.open(await givenAdministrator(t.context)));
};

test('every route is in the table of endpoints, and nothing else is', (t) => {
  t.deepEqual(compareWithTable(describeRoutes(config)), NO_DIFFERENCES, 'change tests/support/endpoint-access.ts');
});

test('what a key may do is said by its scope: no route that changes something asks only whether somebody signed in', (t) => {
  const writes = describeRoutes(config).filter(({ method, access }) => method !== 'get' && access === 'signed-in');
  t.deepEqual(writes.map(nameOf), []);
});

test('each kind of credentials is worth what it should be, at every route', async (t) => {
  for (const [turn, caller] of allCallers(t.context).entries()) await runThrough(t, caller, turn);
});

test('who has to set up a second factor first may do that and sign out, by token and by cookie, and nothing else', async (t) => {
  const api = await startApi({ MFA_ENABLED: 'true', MFA_ENFORCE_FOR_ADMINS: 'true', MFA_GRACE_PERIOD_DAYS: '0' });
  try {
    const { cookie, csrf } = await openBrowser(api, 'admin');
    const ways: readonly (readonly [ApiClient, Headers])[] = [
      [api.admin, {}],
      [api.anyone, { cookie, 'x-csrf-token': csrf }],
    ];
    t.is((await api.admin.get('/api/auth/me')).body['mfa_setup_required'], true);
    const routes = describeRoutes(config).filter((each) => !ENDS_SESSIONS.has(nameOf(each)));
    for (const [turn, route] of routes.entries()) {
      const mayPass = route.access.startsWith('anyone') || route.path.startsWith('/api/auth/');
      for (const [client, headers] of inTurn(turn, 2, ways)) {
        const outcome = await call(client, route, headers);
        if (mayPass) t.not(outcome.code, 'MFA_SETUP_REQUIRED', nameOf(route));
        else t.deepEqual(outcome, { status: 403, code: 'MFA_SETUP_REQUIRED' }, nameOf(route));
      }
    }
    // it is nobody's administrator who makes users here
    const made = await api.admin.post('/api/auth/register', {
      username: 'eve',
      email: 'eve@example.org',
      password: 'correct horse battery',
      role: 'admin',
    });
    t.is(made.status, 403);
  } finally {
    await api.stop();
  }
});
