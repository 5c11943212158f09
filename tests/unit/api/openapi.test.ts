import { Validator } from '@seriousme/openapi-schema-validator';
import { describeRoutes, errorCodesOf, jsonRoute, makeOpenApiDocument, type Route, streamRoute } from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import { publicCodeOf } from '@sheaf/contract';
import type { ErrorCode } from '@sheaf/vocabulary/error-codes';
import { ACTIONS } from '@sheaf/vocabulary/permissions';
import test from 'ava';
import { z } from 'zod';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const { config } = loadConfig({ environment: { MFA_ENABLED: 'true' } });
const routes = describeRoutes(config);
const document = makeOpenApiDocument(routes);
const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
  METHODS.flatMap((method) => {
    const operation = item[method];
    return operation === undefined ? [] : [{ name: `${method} ${path}`, operation }];
  }),
);

const ping = (fields: Partial<Route> = {}): Route => ({
  ...jsonRoute({
    method: 'get',
    path: '/api/ping',
    access: 'anyone',
    summary: 'Ping',
    query: z.strictObject({
      loud: z.stringbool().default(true),
      ids: z
        .string()
        .transform((text) => text.split(','))
        .describe('At most 3, parted by commas'),
      times: z.coerce.number().int().max(7).default(2),
    }),
    status: 200,
    response: z.strictObject({ ok: z.boolean() }),
    handle: async () => ({ ok: true }),
  }),
  ...(fields as object),
});

test('the text is valid OpenAPI 3.1', async (t) => {
  const validator = new Validator();
  const result = await validator.validate(z.looseObject({}).parse(JSON.parse(JSON.stringify(document))));
  t.deepEqual(result.errors ?? [], []);
  t.true(result.valid);
  t.is(validator.version, '3.1');
});

test('every route is in the text, and nothing else is', (t) => {
  t.deepEqual(operations.map(({ name }) => name).toSorted(), routes.map(({ method, path }) => `${method} ${path}`).toSorted());
});

test('an operation of a feature that is off is described as when it is on, and may answer that it is off', (t) => {
  const features = [
    'MFA_ENABLED',
    'FEATURE_SHARE_LINKS',
    'FEATURE_LABELS',
    'FEATURE_NOTIFICATIONS',
    'FEATURE_ANALYTICS',
    'API_KEY_ENABLED',
  ];
  const off = loadConfig({ environment: Object.fromEntries(features.map((name) => [name, 'false'])) }).config;
  const { paths = {} } = makeOpenApiDocument(describeRoutes(off));
  for (const [path, item] of Object.entries(paths))
    for (const method of METHODS) {
      const responses = item[method]?.responses;
      if (responses !== undefined)
        t.true(
          Object.keys(responses).some((status) => Number(status) < 400),
          `${method} ${path}`,
        );
    }
  const setup = paths['/api/auth/mfa/totp/setup']?.post;
  t.true(setup?.responses?.['200'] !== undefined || setup?.responses?.['201'] !== undefined);
  t.regex(JSON.stringify(setup?.responses?.['404']), /FEATURE_DISABLED|feature_disabled/);
});

test('every operation has a summary, a name of its own and an answer that is no error', (t) => {
  const names = new Set(operations.map(({ operation }) => operation.operationId));
  t.is(names.size, operations.length);
  for (const { name, operation } of operations) {
    t.true((operation.summary ?? '').length > 3, name);
    t.true(
      Object.keys(operation.responses ?? {}).some((status) => /^[23]/.test(status)),
      name,
    );
  }
});

test('each parameter in braces is described', (t) => {
  for (const { name, operation } of operations) {
    const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
    const described = (operation.parameters ?? []).flatMap((parameter) =>
      'in' in parameter && parameter.in === 'path' ? [parameter.name] : [],
    );
    t.deepEqual(described, inPath, name);
  }
});

test('each operation says who may call it: an open one takes no credentials, all others take a token, a cookie or, unless only people may call it, a key', (t) => {
  for (const route of routes) {
    const operation = operations.find(({ name }) => name === `${route.method} ${route.path}`)?.operation;
    const permission: unknown = operation?.['x-permission'];
    t.is(
      permission,
      ACTIONS.find((action) => action === route.access),
    );
    const known = [{ bearer: [] }, { cookie: [] }, ...(route.access === 'session' ? [] : [{ key: [] }])];
    const expected = route.access === 'anyone' ? [] : route.access === 'anyone-known' ? [{}, ...known] : known;
    t.deepEqual(operation?.security, expected, route.path);
  }
  t.truthy(document.components?.securitySchemes?.['bearer']);
});

test('every error code of a route stands under its status', (t) => {
  for (const route of routes) {
    const responses = operations.find(({ name }) => name === `${route.method} ${route.path}`)?.operation.responses ?? {};
    const text = JSON.stringify(responses);
    for (const [code, kind] of errorCodesOf(route)) {
      const { code: told, reason = told } = publicCodeOf({ code: code as ErrorCode, kind });
      if (code !== 'SERVICE_UNAVAILABLE') for (const name of [told, reason]) t.true(text.includes(`\`${name}\``), `${route.path} ${name}`);
    }
  }
});

test('a route that streams and does not say what it takes and answers is refused', (t) => {
  const route = streamRoute({ method: 'get', path: '/api/raw', access: 'anyone', summary: 'Raw', stream: async () => {} });
  t.throws(() => makeOpenApiDocument([route]), { message: /get \/api\/raw has no request and response schema/ });
});

test('parameters are described as a client writes them: flags, numbers with their limits, and lists in one text', (t) => {
  const parameters = makeOpenApiDocument([ping()]).paths?.['/api/ping']?.get?.parameters;
  t.like(parameters, [
    { name: 'loud', in: 'query', schema: { type: 'boolean', default: true } },
    { name: 'ids', in: 'query', schema: { type: 'string' }, description: 'At most 3, parted by commas', required: true },
    { name: 'times', in: 'query', schema: { type: 'integer', maximum: 7, default: 2 } },
  ]);
});

test('the text is valid and whole also with features that are off', async (t) => {
  const names = ['FEATURE_LABELS', 'FEATURE_ADVANCED_SEARCH', 'FEATURE_MULTI_LANGUAGE_OCR', 'FEATURE_SOURCES'];
  const off = loadConfig({ environment: Object.fromEntries(names.map((name) => [name, 'false'])) });
  const text = makeOpenApiDocument(describeRoutes(off.config));
  const result = await new Validator().validate(z.looseObject({}).parse(JSON.parse(JSON.stringify(text))));
  t.true(result.valid, JSON.stringify(result.errors));
  t.deepEqual(Object.keys(text.paths ?? {}), Object.keys(document.paths ?? {}));
});

test('a body that may be left out is not required', (t) => {
  const bodyOf = (body: z.ZodType) => makeOpenApiDocument([ping({ method: 'post', body })]).paths?.['/api/ping']?.post?.requestBody;
  t.like(bodyOf(z.strictObject({ a: z.string() })), { required: true });
  t.like(bodyOf(z.strictObject({ a: z.string() }).optional()), {
    required: false,
    content: { 'application/json': { schema: { type: 'object' } } },
  });
});
