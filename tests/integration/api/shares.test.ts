// Share links as those see them who make and revoke them. What visitors see stands in share-pages.test.ts.
import { createHash } from 'node:crypto';
import { deleteSharesEndedBefore } from '@sheaf/search/shares';
import { type Answer, ApiClient } from '@sheaf/testkit';
import { MAX_SHARES } from '@sheaf/vocabulary/limits';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { conditionOf } from '../../support/error-condition.ts';
import { openEventClient } from '../../support/event-client.ts';
import { givenPerson } from '../../support/person.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ SHARE_MAX_DAYS: '30', PUBLIC_URL: 'https://papers.example.org/sheaf/' });

const DAY_MS = 24 * 3_600_000;
const NOBODY = '00000000-0000-7000-8000-000000000000';
const codeOf = ({ status, body }: Answer): [number, unknown] => [status, conditionOf(body)];
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

let uploads = 0;
const givenUpload = async (client: ApiClient): Promise<string> => {
  uploads += 1;
  const { status, body } = await client.upload({
    name: `shared ${uploads}.txt`,
    bytes: new TextEncoder().encode(`shared words ${uploads}`),
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return String(body['id']);
};

const sharesOf = async (client: ApiClient, query = ''): Promise<Record<string, unknown>[]> =>
  (await client.get(`/api/shares${query}`)).body['data'] as Record<string, unknown>[];

const auditOf = async ({ admin }: RunningApi, id: unknown): Promise<Record<string, unknown>[]> =>
  ((await admin.get('/api/audit?per_page=100')).body['data'] as Record<string, unknown>[]).filter(
    ({ action, subject }) => String(action).startsWith('share.') && (subject as { id: string }).id === id,
  );

test('a link is made, listed without its token, and revoked, with events and entries of the audit log', async (t) => {
  const editor = await givenPerson(t.context, 'editor');
  await using events = await openEventClient(t.context.anyone.url, editor.token, ['share_created', 'share_revoked']);
  const document = await givenUpload(editor.client);
  const { title } = (await editor.client.get(`/api/documents/${document}`)).body;
  const made = await editor.client.post(`/api/documents/${document}/shares`, { password: 'long enough', allow_download: true });
  t.is(made.status, 201, JSON.stringify(made.body));
  t.deepEqual(Object.keys(made.body).toSorted(), ['expires_at', 'id', 'url']);
  const { id, url, expires_at: expiresAt } = made.body;
  const [, token = ''] = /^https:\/\/papers\.example\.org\/sheaf\/s\/([\w-]{43})$/.exec(String(url)) ?? [];
  t.not(token, '', String(url));
  t.true(Math.abs(Date.parse(String(expiresAt)) - Date.now() - 7 * DAY_MS) < 60_000);

  const { rows } = await t.context.database.pool.query<Record<string, unknown>>('select * from shares where id = $1', [id]);
  t.is(rows[0]?.['token_hash'], createHash('sha256').update(token).digest('hex'));
  t.regex(String(rows[0]?.['password_hash']), /^\$argon2id\$/);
  t.false(JSON.stringify(rows).includes(token) || JSON.stringify(rows).includes('long enough'));

  const [listed] = await sharesOf(editor.client, `?document_id=${document}`);
  t.like(listed, {
    id,
    state: 'active',
    document_id: document,
    saved_search_id: null,
    title,
    has_password: true,
    allow_download: true,
    access_count: 0,
    last_accessed_at: null,
    created_by: { id: editor.id },
  });
  t.false(JSON.stringify(listed).includes(token));

  t.is((await editor.client.delete(`/api/shares/${String(id)}`)).status, 204);
  t.deepEqual(codeOf(await editor.client.delete(`/api/shares/${String(id)}`)), [404, 'SHARE_NOT_FOUND']);
  t.like((await sharesOf(editor.client, `?document_id=${document}&active=false`))[0], { id, state: 'revoked' });
  t.deepEqual(await sharesOf(editor.client, `?document_id=${document}&active=true`), []);
  const told = await events.eventsUntil(({ type }) => type === 'share_revoked');
  t.deepEqual(
    told.map(({ type, share_id, document_id }) => ({ type, share_id, document_id })),
    ['share_created', 'share_revoked'].map((type) => ({ type, share_id: id, document_id: document })),
  );
  const entries = await auditOf(t.context, id);
  t.deepEqual(entries.map(({ action }) => String(action)).toSorted(), ['share.created', 'share.revoked']);
  t.false(JSON.stringify(entries).includes(token));
});

test('a link ends within SHARE_MAX_DAYS, and its password is long enough', async (t) => {
  const { admin } = t.context;
  const path = `/api/documents/${await givenUpload(admin)}/shares`;
  const refused = async (body: object): Promise<unknown> => {
    const answer = await admin.post(path, body);
    t.is(answer.status, 400, JSON.stringify(body));
    return (answer.body['error'] as { details: { issues: { path: string; code: string }[] } }).details.issues.map((one) => [
      one.path,
      one.code,
    ]);
  };
  t.deepEqual(await refused({ expires_at: inDays(-1) }), [['expires_at', 'too_small']]);
  t.deepEqual(await refused({ expires_at: inDays(31) }), [['expires_at', 'too_big']]);
  t.deepEqual(await refused({ expires_at: 'tomorrow' }), [['expires_at', 'not_date']]);
  t.deepEqual(await refused({ password: 'short' }), [['password', 'too_short']]);
  t.deepEqual(await refused({ password: 'nul \0 inside' }), [['password', 'nul']]);
  t.deepEqual(await refused({ forever: true }), [['', 'unknown_keys']]);
  t.is((await admin.post(path, { expires_at: inDays(30), password: null })).status, 201);
});

test('links are of those who made them; administrators see and revoke those of all', async (t) => {
  const { admin } = t.context;
  const [ann, bob, viewer] = [
    await givenPerson(t.context, 'editor'),
    await givenPerson(t.context, 'editor'),
    await givenPerson(t.context, 'viewer'),
  ];
  const document = await givenUpload(ann.client);
  const { body: own } = await ann.client.post(`/api/documents/${document}/shares`, {});
  const { body: other } = await bob.client.post(`/api/documents/${document}/shares`, {});
  const ids = async (client: ApiClient): Promise<unknown[]> => (await sharesOf(client, `?document_id=${document}`)).map(({ id }) => id);
  t.deepEqual(await ids(ann.client), [own['id']]);
  t.deepEqual(await ids(bob.client), [other['id']]);
  t.deepEqual(await ids(admin), [other['id'], own['id']], 'the newest first');
  t.deepEqual(codeOf(await bob.client.delete(`/api/shares/${String(own['id'])}`)), [404, 'SHARE_NOT_FOUND']);
  t.is((await admin.delete(`/api/shares/${String(own['id'])}`)).status, 204);
  for (const answer of [await viewer.client.get('/api/shares'), await viewer.client.post(`/api/documents/${document}/shares`, {})])
    t.is(answer.status, 403);
  for (const path of [`/api/documents/${NOBODY}/shares`, `/api/saved-searches/${NOBODY}/shares`, '/api/documents/x/shares'])
    t.is((await ann.client.post(path, {})).status, 404, path);
});

test('who may share their own shares no others, and a key shares only where its scope says so, and no search', async (t) => {
  const { admin, database } = t.context;
  const ann = await givenPerson(t.context, 'editor');
  const mine = await givenUpload(ann.client);
  const theirs = await givenUpload(admin);
  const { body: me } = await ann.client.get('/api/auth/me');
  const permissions = ['documents.read', 'documents.share.own', 'search.query'];
  await using api = await startApiWithPermissions(database, { [String(me['username'])]: permissions });
  const client = await new ApiClient(api.url).login(String(me['username']));
  t.is((await client.post(`/api/documents/${mine}/shares`, {})).status, 201);
  t.is((await client.post(`/api/documents/${theirs}/shares`, {})).status, 403);

  const { body: search } = await admin.post('/api/saved-searches', { name: 'words', query: 'words' });
  const withKey = async (scope: readonly string[], path: string): Promise<number> => {
    const { body } = await admin.post('/api/keys', { name: 'key', scope });
    const headers = { 'x-api-key': String(body['key']), 'content-type': 'application/json' };
    return (await t.context.anyone.request(path, { method: 'POST', headers, body: '{}' })).status;
  };
  t.is(await withKey(['*'], `/api/documents/${theirs}/shares`), 403);
  t.is(await withKey(['documents.read', 'documents.share'], `/api/documents/${theirs}/shares`), 201);
  t.is(await withKey(['documents.read.own', 'documents.share'], `/api/documents/${mine}/shares`), 404);
  t.is(await withKey(['documents.*', 'search.query'], `/api/saved-searches/${String(search['id'])}/shares`), 403);
  t.is((await admin.post(`/api/saved-searches/${String(search['id'])}/shares`, {})).status, 201);
});

test('a user has so many active links at most, and those that ended are forgotten after a while', async (t) => {
  const { database } = t.context;
  const ann = await givenPerson(t.context, 'editor');
  const document = await givenUpload(ann.client);
  const insert = (count: number, ends: string): Promise<unknown> =>
    database.pool.query(
      `insert into shares (id, token_hash, created_by, document_id, allow_download, expires_at)
       select gen_random_uuid(), gen_random_uuid()::text, $1, $2, false, now() + $3::interval from generate_series(1, $4)`,
      [ann.id, document, ends, count],
    );
  await insert(3, '-31 days');
  await insert(1, '-29 days');
  await insert(MAX_SHARES - 1, '1 day');
  const [one, two] = await Promise.all([1, 2].map(() => ann.client.post(`/api/documents/${document}/shares`, {})));
  t.deepEqual(
    [201, 400].map((status) => [one, two].filter((answer) => answer?.status === status).length),
    [1, 1],
  );
  const before = new Date(Date.now() - 30 * DAY_MS);
  t.is(await deleteSharesEndedBefore(database.db, before, 2), 2);
  t.is(await deleteSharesEndedBefore(database.db, before, 2), 1);
  const { body } = await ann.client.get('/api/shares?active=false');
  t.like(body, { pagination: { total: 1 } });
  await ann.client.delete(`/api/documents/${document}`);
  t.like((await ann.client.get('/api/shares')).body, { pagination: { total: 0 } }, 'they end with their document');
});
