import {
  type AppParts,
  Authenticator,
  type AuthenticatorParts,
  describeRoutes,
  jsonRoute,
  makeApp,
  mountRoutes,
  openRequestRecord,
  RateLimit,
  type Route,
} from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import { constant, makeRegistry, silentLogger, systemClock } from '@sheaf/process';
import { NO_TRACER } from '@sheaf/process/tracing';
import { z } from 'zod';
import { readsWithoutDatabase } from '../../support/reads-without-database.ts';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

const envelope = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string().min(1),
    details: z.record(z.string(), z.unknown()),
    timestamp: z.iso.datetime(),
    request_id: z.string().min(1),
  }),
});

test('an unknown path answers 404 in the envelope, for anyone', async (t) => {
  const { status, body, headers } = await t.context.anyone.get('/api/nowhere');
  t.is(status, 404);
  const { error } = envelope.parse(body);
  t.is(error.code, 'NOT_FOUND');
  t.is(error.request_id, headers.get('x-request-id') ?? 'none');
});

test('a request id is taken over when it is a plain one, and replaced otherwise', async (t) => {
  const plain = await t.context.anyone.request('/health', { headers: { 'x-request-id': 'abc-123' } });
  t.is(plain.headers.get('x-request-id'), 'abc-123');
  const hostile = await t.context.anyone.request('/health', { headers: { 'x-request-id': 'a b<script>' } });
  t.regex(hostile.headers.get('x-request-id') ?? '', /^[\w-]{36}$/);
});

test('malformed JSON, another media type and an unknown key answer 400', async (t) => {
  const login = (body: string, type: string) =>
    t.context.anyone.request('/api/auth/login', { method: 'POST', body, headers: { 'content-type': type } });
  for (const [body, type] of [
    ['{"username":', 'application/json'],
    ['null', 'application/json'],
    ['username=a&password=b', 'application/x-www-form-urlencoded'],
    ['{"username":"a","password":"b","role":"admin"}', 'application/json'],
    ['{"username":["a"],"password":"b"}', 'application/json'],
  ] as const) {
    const response = await login(body, type);
    t.is(response.status, 400, body);
    t.is(envelope.parse(await response.json()).error.code, 'VALIDATION_ERROR');
  }
});

test('a body over the limit answers 400 with the limit', async (t) => {
  const { status, body } = await t.context.anyone.post('/api/auth/login', { username: 'a', password: 'x'.repeat(2_000_000) });
  t.is(status, 400);
  t.is(envelope.parse(body).error.details['limit_bytes'], 1_048_576);
});

test('an unknown query name and a wrong value are told with their path', async (t) => {
  for (const query of [
    'colour=red',
    'page=0',
    'sort=owner_names',
    'order=up',
    'status=done',
    'label_ids=x',
    'date_from=yesterday',
    'page=1&page=2',
  ]) {
    const { status, body } = await t.context.admin.get(`/api/documents?${query}`);
    t.is(status, 400, query);
    const { issues } = z
      .object({ issues: z.array(z.object({ path: z.string(), message: z.string() })).min(1) })
      .parse(envelope.parse(body).error.details);
    t.true(issues.length > 0);
  }
});

test('an id that is none answers 404', async (t) => {
  t.is((await t.context.admin.get('/api/documents/1')).status, 404);
  t.is((await t.context.admin.get("/api/documents/1'%20or%201=1--")).status, 404);
  t.is((await t.context.admin.get('/api/documents/%00')).status, 404);
  t.is((await t.context.admin.get('/api/documents/%E0%A4%A')).status, 400);
});

const { config } = loadConfig({ environment: {} });
const rateLimit = new RateLimit(constant(config.rateLimit));
const identity = { needsLookup: () => false, authenticate: async () => undefined } as unknown as AuthenticatorParts['identity'];
const bareParts: AppParts = {
  config,
  authenticator: new Authenticator({ identity, rateLimit, config }),
  rateLimit,
  reads: readsWithoutDatabase(config),
  tracer: NO_TRACER,
  record: openRequestRecord(silentLogger(), makeRegistry('api')),
  log: silentLogger(),
  clock: systemClock,
};

test('a handler that crashes answers 500 and tells nothing of the error', async (t) => {
  const crash: Route = jsonRoute({
    method: 'get',
    path: '/crash',
    access: 'anyone',
    summary: '',
    status: 200,
    response: z.strictObject({}),
    handle: async () => {
      throw new Error('secret detail of the database');
    },
  });
  const server = makeApp({ routes: [crash] }, bareParts).listen(0, '127.0.0.1');
  try {
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const response = await fetch(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/crash`);
    t.is(response.status, 500);
    const text = await response.text();
    t.is(envelope.parse(JSON.parse(text)).error.code, 'INTERNAL_ERROR');
    t.false(text.includes('secret detail'));
  } finally {
    server.close();
  }
});

test('a route that does not declare who may call it does not start', (t) => {
  const [first] = describeRoutes(config);
  if (first === undefined) throw new Error('there are no routes');
  const { access: _, ...open } = first;
  t.throws(() => mountRoutes([open as unknown as Route], bareParts), { message: /does not declare its access/ });
  t.throws(() => mountRoutes([{ ...first, access: 'documents.fly' as never }], bareParts), { message: /does not declare/ });
  t.throws(() => mountRoutes([first, first], bareParts), { message: /declared twice/ });
  t.notThrows(() => mountRoutes(describeRoutes(config), bareParts));
});
