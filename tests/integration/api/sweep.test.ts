// Every route with what it does not know, with null, with wrong types, and for every kind of caller: each answer is one of the interface, and
// nothing is accepted and dropped.

import { describeRoutes, type Route, readOnlyFields } from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import { uuidv7 } from '@sheaf/process';
import type { ApiClient } from '@sheaf/testkit';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { allCallers, givenAdministrator, nameOf } from '../../support/callers.ts';
import { fullOnly, inTurn } from '../../support/full-run.ts';
import type { Headers } from '../../support/person.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const ENVIRONMENT = { SESSION_MAX_CONCURRENT: '0', MFA_ENABLED: 'true', ENABLE_PER_USER_WATCH: 'true' };
const test = testWithApi(ENVIRONMENT);
const { config } = loadConfig({ environment: ENVIRONMENT });

/** They end what they are called with. */
const ENDS_SESSIONS: ReadonlySet<string> = new Set(['post /api/auth/logout', 'delete /api/auth/sessions']);

/** Of others: what an identity provider sends to these is not for the service to say. */
const TAKES_ANYTHING: ReadonlySet<string> = new Set([
  'get /api/auth/oidc/login',
  'get /api/auth/oidc/callback',
  'get /api/auth/saml/login',
  'get /api/auth/saml/metadata',
  'post /api/auth/saml/acs',
]);

const routes = describeRoutes(config).filter((route) => !ENDS_SESSIONS.has(nameOf(route)) && !TAKES_ANYTHING.has(nameOf(route)));

/** Parts of a path that are numbers. */
const NUMBERED: ReadonlySet<string> = new Set(['version', 'page', 'number', 'other']);

const envelope = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string().min(1),
    details: z.looseObject({ issues: z.array(z.looseObject({ path: z.string(), code: z.string() })).optional() }),
    timestamp: z.iso.datetime(),
    request_id: z.string(),
  }),
});

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly issues: readonly { readonly path: string; readonly code: string }[];
}

interface Sent {
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Headers;
}

/** What does not exist, but for names of which the interface lists all. */
const partOfPath = (route: Route, name: string): string => {
  const field = fieldsOf(route.params)[name];
  if (field instanceof z.ZodEnum) return String(field.options[0]);
  return NUMBERED.has(name) ? '1' : name === 'name' ? 'sheaf-20261121T093200Z-1a2b3c' : uuidv7();
};

/** Sends a request to what does not exist, and checks that the answer is one of the interface. */
const send = async (
  t: ExecutionContext<RunningApi>,
  client: ApiClient,
  route: Route,
  { query = '', body, headers = {} }: Sent,
): Promise<Answer> => {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => partOfPath(route, name));
  const response = await client.request(`${path}${query}`, {
    method: route.method.toUpperCase(),
    redirect: 'manual',
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const what = `${nameOf(route)} ${query} ${JSON.stringify(body)}: ${response.status} ${text.slice(0, 300)}`;
  t.true(response.status < 500, what);
  const isOurs = response.status >= 400 && route.path.startsWith('/api/');
  const parsed = isOurs ? envelope.safeParse(JSON.parse(text)) : undefined;
  t.true(parsed?.success !== false, what);
  return { status: response.status, code: parsed?.data?.error.code, issues: parsed?.data?.error.details.issues ?? [] };
};

const fieldsOf = (schema: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> => {
  const { def } = (schema ?? z.unknown())._zod;
  if (def.type === 'optional') return fieldsOf((def as unknown as { innerType: z.ZodType }).innerType);
  return schema instanceof z.ZodObject ? schema.shape : {};
};

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

const withBody = routes.filter(({ body, kind }) => body !== undefined && kind === 'json');

test.serial('a parameter that a route does not know is refused by name', async (t) => {
  for (const route of inTurn(
    0,
    3,
    routes.filter(({ query }) => query === undefined || query instanceof z.ZodObject),
  )) {
    const { status, issues } = await send(t, t.context.admin, route, { query: '?no_such_parameter=1' });
    if (!route.path.startsWith('/api/')) continue;
    t.is(status, 400, nameOf(route));
    t.true(
      issues.some(({ code }) => code === 'unknown_keys'),
      nameOf(route),
    );
  }
});

test.serial('a field that a route does not know is refused by name', async (t) => {
  for (const route of inTurn(1, 3, withBody)) {
    const { status, issues } = await send(t, t.context.admin, route, { body: { no_such_field: 1 } });
    t.is(status, 400, nameOf(route));
    t.true(issues.length > 0, nameOf(route));
  }
});

test.serial('null for an optional field is as if it were absent', async (t) => {
  for (const route of inTurn(2, 3, withBody)) {
    const optional = Object.entries(fieldsOf(route.body)).filter(([, field]) => accepts(field, undefined) && !accepts(field, null));
    if (optional.length === 0) continue;
    const without = await send(t, t.context.admin, route, { body: {} });
    const nulls = await send(t, t.context.admin, route, { body: Object.fromEntries(optional.map(([name]) => [name, null])) });
    t.deepEqual([nulls.status, nulls.issues], [without.status, without.issues], nameOf(route));
  }
});

/** No field of ours takes it. */
const WRONG = [[{ a: [] }]];

test.serial('a value of a wrong type is refused with the path of its field', async (t) => {
  for (const route of inTurn(0, 3, withBody)) {
    const readOnly = readOnlyFields(route);
    for (const [name, field] of Object.entries(fieldsOf(route.body))) {
      if (accepts(field, WRONG) || readOnly.includes(name)) continue;
      const { status, issues } = await send(t, t.context.admin, route, { body: { [name]: WRONG } });
      // a field that no change could set is compared with the resource, which does not exist here
      if (status === 404 && route.change !== undefined) continue;
      t.is(status, 400, `${nameOf(route)} ${name}`);
      t.true(
        issues.some(({ path }) => path.split('.')[0] === name),
        `${nameOf(route)} ${name}: ${JSON.stringify(issues)}`,
      );
    }
  }
});

test.serial('a parameter that is given twice, or is not what it should be, is refused with its name', async (t) => {
  for (const route of inTurn(1, 3, routes)) {
    for (const [name, field] of Object.entries(fieldsOf(route.query))) {
      if (accepts(field, ['\u0001', '\u0002'])) continue;
      const { status, issues } = await send(t, t.context.admin, route, { query: `?${name}=%01&${name}=%02` });
      if (!route.path.startsWith('/api/')) continue;
      t.is(status, 400, `${nameOf(route)} ${name}`);
      t.true(
        issues.some(({ path }) => path.split('.')[0] === name),
        `${nameOf(route)} ${name}: ${JSON.stringify(issues)}`,
      );
    }
  }
});

fullOnly(test.serial)('whoever asks for what is wrong is answered by the interface, and is not told more than who may ask', async (t) => {
  for (const [turn, caller] of allCallers(t.context).entries()) {
    const headers = await caller.open(await givenAdministrator(t.context));
    for (const route of inTurn(turn, 9, routes)) {
      const { status, issues } = await send(t, t.context.anyone, route, {
        query: '?no_such_parameter=1',
        headers,
        ...(route.body === undefined ? {} : { body: { no_such_field: WRONG } }),
      });
      const expected = caller.expected(route);
      if (expected === 'in') continue;
      t.is(status, expected, `${nameOf(route)} for ${caller.name}`);
      t.deepEqual(issues, [], `${nameOf(route)} for ${caller.name}`);
    }
  }
});
