// Who may do what by the Paperless-compatible API: tokens, second factors, roles, and two users.

import { paperlessRoutes } from '@sheaf/api/testing';
import { ApiClient } from '@sheaf/testkit';
import { z } from 'zod';
import { startApiWithPermissions } from '../../../support/api-with-permissions.ts';
import { forgiveAddress, freshCode, givenEnrolled, PASSWORD } from '../../../support/enrolled.ts';
import { listOf, PaperlessClient, swiftDocument, swiftSettings, swiftTag, swiftUser } from '../../../support/paperless.ts';
import { testWithApi } from '../../../support/running-api.ts';

const FEATURE = { FEATURE_PAPERLESS_API: 'true' };
const test = testWithApi({ ...FEATURE, MFA_ENABLED: 'true' });

const STAND_IN: never = new Proxy(() => {}, { get: () => STAND_IN }) as never;
const ROUTES = paperlessRoutes(STAND_IN);

const tokenOf = (body: unknown): string => z.strictObject({ token: z.string() }).parse(body).token;

test.serial('strangers get 401 from every route but the list of resources and the sign-in, which say nothing of the library', async (t) => {
  const { anyone } = t.context;
  t.true(ROUTES.length > 60);
  for (const { method, path, access } of ROUTES) {
    const address = path.slice('/paperless/api'.length + 1).replace('{id}', '1');
    for (const token of [undefined, 'shf_wrong']) {
      const { status, body, headers } = await new PaperlessClient(anyone, token, 10).send(method.toUpperCase(), `${address}/`);
      t.is(headers.get('x-api-version'), '10', path);
      t.is(headers.get('x-version'), '2.20.15', path);
      if (access === 'anyone') t.not(status, 401, path);
      else t.is(status, 401, `${method} ${path}`);
      if (access !== 'anyone') t.deepEqual(Object.keys(body as object), ['detail'], path);
    }
  }
});

test.serial('a token is an API key: it is in the list of keys, works without an end, and ends when it is revoked there', async (t) => {
  const { anyone, admin } = t.context;
  const credentials = { username: 'admin', password: PASSWORD };
  const form = new FormData();
  for (const [name, value] of Object.entries(credentials)) form.append(name, value);
  const made = await Promise.all(
    [
      { body: JSON.stringify(credentials), headers: { 'content-type': 'application/json', 'user-agent': 'SwiftPaperless/1.8 (iPhone)' } },
      { body: new URLSearchParams(credentials) },
      { body: form },
    ].map((init) => anyone.request('/paperless/api/token/', { method: 'POST', ...init })),
  );
  for (const answer of made) t.is(answer.status, 200);
  const token = tokenOf(await made[0]?.json());
  const client = new PaperlessClient(anyone, token);
  t.is((await client.get('documents/')).status, 200);
  const keys = z
    .array(z.looseObject({ id: z.string(), name: z.string(), expires_at: z.string() }))
    .parse((await admin.get('/api/keys')).body['data']);
  const key = keys.find(({ name }) => name === 'Paperless app (SwiftPaperless)');
  t.is(key?.expires_at.slice(0, 4), '9999');
  t.is((await admin.delete(`/api/keys/${key?.id ?? ''}`)).status, 204);
  t.is((await client.get('documents/')).status, 401);
  const other = new PaperlessClient(anyone, tokenOf(await made[1]?.json()));
  t.is((await other.send('DELETE', 'token/')).status, 204);
  t.is((await other.get('documents/')).status, 401);
});

test.serial('cookies and passwords are no credentials here', async (t) => {
  const { anyone } = t.context;
  const signedIn = await anyone.request('/api/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: PASSWORD, cookie: true }),
  });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
  t.is((await anyone.request('/paperless/api/documents/', { headers: { cookie } })).status, 401);
  const basic = `Basic ${btoa(`admin:${PASSWORD}`)}`;
  t.is((await anyone.request('/paperless/api/documents/', { headers: { authorization: basic } })).status, 401);
});

test.serial('of one user the twenty tokens remain that were used last', async (t) => {
  const { anyone, admin } = t.context;
  await admin.post('/api/auth/register', { username: 'scripts', email: 'scripts@example.org', password: PASSWORD, role: 'viewer' });
  const first = await PaperlessClient.signIn(anyone, 'scripts');
  t.is((await first.get('documents/')).status, 200);
  for (let n = 0; n < 20; n += 1) await PaperlessClient.signIn(anyone, 'scripts');
  t.is((await first.get('documents/')).status, 401);
});

test.serial('a wrong password is refused in the words of Paperless, and locks as at the sign-in', async (t) => {
  const { anyone, admin } = t.context;
  await admin.post('/api/auth/register', { username: 'guessed', email: 'guessed@example.org', password: PASSWORD, role: 'viewer' });
  const client = new PaperlessClient(anyone);
  const wrong = await client.post('token/', { username: 'guessed', password: 'wrong' });
  t.is(wrong.status, 400);
  t.deepEqual(wrong.body, { non_field_errors: ['Unable to log in with provided credentials.'] });
  for (let n = 0; n < 12; n += 1) await client.post('token/', { username: 'guessed', password: 'wrong' });
  t.not((await client.post('token/', { username: 'guessed', password: PASSWORD })).status, 200);
  await forgiveAddress(t.context);
  const broken = { method: 'POST', headers: { 'content-type': 'multipart/form-data' }, body: 'username=admin' };
  t.is((await anyone.request('/paperless/api/token/', broken)).status, 400);
  for (const body of [{}, { username: 'admin' }, { username: ['admin'], password: {} }, []])
    t.is((await client.post('token/', body)).status, 400);
});

test.serial('a second factor is asked for as Paperless asks for it', async (t) => {
  const { anyone } = t.context;
  const { username, factor } = await givenEnrolled(t.context);
  const client = new PaperlessClient(anyone);
  const sign = (code?: string) => client.post('token/', { username, password: PASSWORD, ...(code === undefined ? {} : { code }) });
  const without = await sign();
  t.is(without.status, 400);
  t.deepEqual(without.body, { non_field_errors: ['MFA code is required'] });
  const wrong = await sign('000000');
  t.is(wrong.status, 400);
  t.deepEqual(wrong.body, { non_field_errors: ['Invalid MFA code'] });
  const { status, body } = await sign(await freshCode(t.context, factor));
  t.is(status, 200);
  t.is((await new PaperlessClient(anyone, tokenOf(body)).get('documents/')).status, 200);
});

test.serial('a token may do what the role of its user may, which ui_settings tells in the words of Paperless', async (t) => {
  const { anyone, admin } = t.context;
  const editor = await PaperlessClient.signIn(anyone, 'admin');
  await editor.upload('roles.txt', 'a paper about roles', [['title', 'Roles']]);
  const id = await editor.numberOf('Roles');
  await admin.post('/api/auth/register', { username: 'reader', email: 'reader@example.org', password: PASSWORD, role: 'viewer' });
  const viewer = await PaperlessClient.signIn(anyone, 'reader');
  t.is((await viewer.read(`documents/${id}/`, swiftDocument)).user_can_change, false);
  const refused: readonly (readonly [string, string, unknown])[] = [
    ['PATCH', `documents/${id}/`, { title: 'Mine' }],
    ['DELETE', `documents/${id}/`, undefined],
    ['POST', `documents/${id}/notes/`, { note: 'mine' }],
    ['POST', 'documents/bulk_edit/', { documents: [id], method: 'delete', parameters: {} }],
    ['POST', 'documents/bulk_edit/', { documents: [id], method: 'modify_tags', parameters: { add_tags: [], remove_tags: [] } }],
    ['POST', 'tags/', { name: 'mine' }],
    ['POST', 'custom_fields/', { name: 'mine', data_type: 'string' }],
    ['GET', 'status/', undefined],
  ];
  for (const [method, path, body] of refused) t.is((await viewer.send(method, path, body)).status, 403, `${method} ${path}`);
  t.is((await viewer.upload('mine.txt', 'mine')).status, 403);
  const { permissions, user } = await viewer.read('ui_settings/', swiftSettings);
  t.true(permissions.includes('view_document') && permissions.includes('view_tag'));
  // everybody who may search has searches of their own
  t.deepEqual(
    permissions.filter((name) => name.startsWith('change_') || name.startsWith('delete_')),
    ['change_savedview', 'delete_savedview', 'change_uisettings'],
  );
  t.false(user.is_superuser);
  t.deepEqual(
    (await viewer.read('users/', listOf(swiftUser))).results.map(({ username }) => username),
    ['reader'],
  );
  t.true((await editor.read('users/', listOf(swiftUser))).count > 1);
});

test.serial('of documents and tags of others nothing is seen and nothing is changed', async (t) => {
  const { anyone, admin, database } = t.context;
  const owner = await PaperlessClient.signIn(anyone, 'admin');
  const tag = await owner.create('tags', { name: 'Secret tag' });
  await owner.upload('secret.txt', 'the hidden treasure', [
    ['title', 'Secret'],
    ['tags', String(tag)],
  ]);
  const id = await owner.numberOf('Secret');
  await admin.post('/api/auth/register', { username: 'stranger', email: 'stranger@example.org', password: PASSWORD, role: 'viewer' });
  const own = ['documents.read', 'documents.update', 'documents.delete', 'ocr.update', 'labels.read', 'labels.update', 'labels.delete'].map(
    (each) => `${each}.own`,
  );
  await using api = await startApiWithPermissions(database, { stranger: [...own, 'documents.create', 'search.query'] }, [], {}, FEATURE);
  const stranger = await PaperlessClient.signIn(new ApiClient(api.url), 'stranger');
  for (const path of [
    'documents/',
    'documents/?query=treasure',
    'documents/?title_content=treasure',
    `documents/?id__in=${id}`,
    `documents/?tags__id__all=${tag}`,
  ])
    t.is((await stranger.read(path, listOf(swiftDocument))).count, 0, path);
  t.is((await stranger.read('tags/', listOf(swiftTag))).count, 0);
  t.deepEqual((await stranger.get('tasks/')).body, []);
  const hidden: readonly (readonly [string, string, unknown])[] = [
    ...['', 'thumb/', 'preview/', 'download/', 'metadata/', 'notes/', 'suggestions/', 'history/', 'share_links/'].map(
      (part) => ['GET', `documents/${id}/${part}`, undefined] as const,
    ),
    ['PATCH', `documents/${id}/`, { title: 'Mine' }],
    ['PUT', `documents/${id}/`, { title: 'Mine' }],
    ['DELETE', `documents/${id}/`, undefined],
    ['POST', `documents/${id}/notes/`, { note: 'mine' }],
    ...['delete', 'reprocess', 'modify_tags'].map(
      (method) => ['POST', 'documents/bulk_edit/', { documents: [id], method, parameters: {} }] as const,
    ),
    ['POST', 'documents/selection_data/', { documents: [id] }],
    ['POST', 'documents/bulk_download/', { documents: [id] }],
    ['GET', `tags/${tag}/`, undefined],
    ['PATCH', `tags/${tag}/`, { name: 'mine' }],
    ['DELETE', `tags/${tag}/`, undefined],
  ];
  for (const [method, path, body] of hidden) t.is((await stranger.send(method, path, body)).status, 404, `${method} ${path}`);
  t.is((await owner.read(`documents/${id}/`, swiftDocument)).title, 'Secret');
});
