// What GET answered may be sent back, whatever became of it since; If-Match refuses to change another state than the one that was read.

import { describeRoutes, type Route, readOnlyFields } from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import type { ApiClient } from '@sheaf/testkit';
import type { ExecutionContext } from 'ava';
import { conditionOf } from '../../support/error-condition.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();
const { config } = loadConfig({ environment: {} });

type Body = Record<string, unknown>;

const idOf = ({ status, body }: { readonly status: number; readonly body: Body }): string => {
  if (status !== 201) throw new Error(`nothing was made: ${JSON.stringify(body)}`);
  return String(body['id']);
};

let count = 0;
const unique = (name: string): string => `${name} ${(count += 1)}`;

/** One of each resource that can be read, changed and written, by the path of its route. */
const makeOne: Readonly<Record<string, (admin: ApiClient) => Promise<string>>> = {
  '/api/documents/{id}': async (admin) =>
    idOf(await admin.upload({ name: 'sent back.txt', bytes: new TextEncoder().encode(unique('sent back')) })),
  '/api/labels/{id}': async (admin) => idOf(await admin.post('/api/labels', { name: unique('sent back') })),
  '/api/correspondents/{id}': async (admin) => idOf(await admin.post('/api/correspondents', { name: unique('Bank') })),
  '/api/document-types/{id}': async (admin) => idOf(await admin.post('/api/document-types', { name: unique('Letter') })),
  '/api/fields/{id}': async (admin) => idOf(await admin.post('/api/fields', { name: unique('Price'), type: 'amount' })),
  '/api/rules/{id}': async (admin) => {
    const label = idOf(await admin.post('/api/labels', { name: unique('by a rule') }));
    return idOf(await admin.post('/api/rules', { name: unique('rule'), query: 'words', actions: [{ add_label: label }] }));
  },
  '/api/sources/{id}': async (admin) =>
    idOf(
      await admin.post('/api/sources', {
        name: unique('Bucket'),
        type: 's3',
        settings: { bucket: 'papers', endpoint_url: 'https://s3.example.org' },
        username: 'AKIA',
        password: 'secret-of-it',
        enabled: false,
      }),
    ),
  '/api/saved-searches/{id}': async (admin) => idOf(await admin.post('/api/saved-searches', { name: unique('saved'), query: 'words' })),
  '/api/users/{user_id}': async (admin) =>
    admin
      .post('/api/users', {
        username: unique('sent').replace(' ', '-'),
        email: `${unique('sent').replace(' ', '-')}@example.org`,
        password: 'correct horse battery',
        role: 'viewer',
      })
      .then(idOf),
  '/api/users/profile': async () => '',
  '/api/settings': async () => '',
  '/api/roles': async () => '',
};

const changes = describeRoutes(config).filter((route) => route.kind === 'json' && route.present !== undefined);

/** Makes the resource that `route` changes; answers where it is. */
const given = async ({ context: { admin } }: ExecutionContext<RunningApi>, { path }: Route): Promise<string> => {
  const make = makeOne[path];
  if (make === undefined) throw new Error(`say in this test how to make what is at ${path}`);
  return path.replace(/\{\w+\}/, await make(admin));
};

const read = async (admin: ApiClient, path: string): Promise<{ etag: string; body: Body }> => {
  const answer = await admin.request(path);
  return { etag: answer.headers.get('etag') ?? '', body: (await answer.json()) as Body };
};

const write = (admin: ApiClient, method: string, path: string, etag: string | undefined, body: unknown): Promise<Response> =>
  admin.request(path, {
    method: method.toUpperCase(),
    headers: { 'content-type': 'application/json', ...(etag === undefined ? {} : { 'if-match': etag }) },
    body: JSON.stringify(body),
  });

test('every resource that GET answers and PUT changes takes back what GET gave', (t) => {
  const routes = describeRoutes(config);
  const paths = (method: string): string[] =>
    routes.filter((route) => route.method === method && route.kind === 'json').map(({ path }) => path);
  const both = paths('put').filter((path) => paths('get').includes(path));
  t.deepEqual(both.toSorted(), [...new Set(changes.map(({ path }) => path))].toSorted());
});

for (const method of ['put', 'patch'] as const) {
  test.serial(`${method.toUpperCase()} of what GET gave changes nothing, whatever became of read-only fields since`, async (t) => {
    const { admin } = t.context;
    for (const route of changes.filter((each) => each.method === method)) {
      const path = await given(t, route);
      const { body } = await read(admin, path);
      const since = Object.fromEntries(readOnlyFields(route).map((name) => [name, { changed: 'since' }]));
      const answer = await write(admin, method, path, undefined, { ...body, ...since });
      t.is(answer.status, 200, `${path}: ${await answer.clone().text()}`);
      const { body: now } = await read(admin, path);
      t.deepEqual({ ...now, updated_at: undefined }, { ...body, updated_at: undefined }, path);
      t.is((await write(admin, method, path, undefined, { ...body, colour_of_nothing: 'red' })).status, 400, path);
      if (path.includes('-')) await admin.delete(path);
    }
  });
}

test.serial(
  'a change that is meant for another state is refused with the current ETag, and one that is meant for this state is made',
  async (t) => {
    const { admin } = t.context;
    for (const route of changes) {
      const path = await given(t, route);
      const { etag, body } = await read(admin, path);
      t.regex(etag, /^"[\w-]+"$/, path);
      const stale = await write(admin, route.method, path, '"of another state"', body);
      t.is(stale.status, 412, path);
      t.is(stale.headers.get('etag'), etag, path);
      t.is(conditionOf(await stale.json()), 'PRECONDITION_FAILED');
      for (const meant of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const made = await write(admin, route.method, path, meant, body);
        t.is(made.status, 200, `${path} ${meant}: ${await made.clone().text()}`);
        const { etag: now } = await read(admin, path);
        t.is(made.headers.get('etag'), now, path);
        if (now !== etag) break; // its updated_at changed
      }
      if (path.includes('-')) {
        t.is((await admin.request(path, { method: 'DELETE', headers: { 'if-match': '"of another state"' } })).status, 412, path);
        t.is((await admin.delete(path)).status, 204, path);
      }
    }
  },
);

test.serial('GET of a resource that did not change since answers 304', async (t) => {
  const { admin } = t.context;
  const path = `/api/documents/${await makeOne['/api/documents/{id}']?.(admin)}`;
  const { etag } = await read(admin, path);
  t.is((await admin.request(path, { headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' } })).status, 304);
  await admin.send('PATCH', path, { title: 'Another' });
  t.is((await admin.request(path, { headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' } })).status, 200);
  await admin.delete(path);
});

test.serial('of two changes at the same time that are meant for the same state, one is made', async (t) => {
  const { admin } = t.context;
  for (const path of ['/api/documents/{id}', '/api/labels/{id}', '/api/rules/{id}', '/api/users/{user_id}', '/api/sources/{id}']) {
    const route = changes.find((each) => each.path === path && each.method === 'put');
    if (route === undefined) throw new Error(path);
    const address = await given(t, route);
    const { etag, body } = await read(admin, address);
    const name = ['title', 'name', 'display_name'].find((field) => field in body) ?? '';
    const both = await Promise.all(['one', 'two'].map((value) => write(admin, 'put', address, etag, { [name]: value })));
    t.deepEqual(
      both.map(({ status }) => status).toSorted((one, other) => one - other),
      [200, 412],
      path,
    );
    await admin.delete(address);
  }
});
