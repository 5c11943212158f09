import { type Answer, ApiClient, givenDocument } from '@sheaf/testkit';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

const DOCUMENTS = ['documents.read.own', 'documents.create', 'documents.update.own', 'search.*'];
const PERMISSIONS = {
  'own-reader': [...DOCUMENTS, 'labels.read.own', 'labels.create', 'labels.update.own'],
  'no-reader': DOCUMENTS,
};

let count = 0;
const unique = (): string => {
  count += 1;
  return `Secret ${count} of ${process.pid}`;
};

const given = async ({ admin, database }: RunningApi, username: keyof typeof PERMISSIONS) => {
  await admin.post('/api/auth/register', { username, email: `${username}@example.org`, password: 'correct horse battery', role: 'editor' });
  const api = await startApiWithPermissions(database, PERMISSIONS);
  const client = await new ApiClient(api.url).login(username);
  const ownerId = String((await client.get('/api/auth/me')).body['id']);
  const documentId = (await givenDocument(database.db, { ownerId })).id;
  return { api, client, ownerId, documentId };
};

const label = async (client: ApiClient, name: string): Promise<string> => {
  const { status, body } = await client.post('/api/labels', { name });
  if (status !== 201) throw new Error(`making a label answered ${status}`);
  return String(body['id']);
};

/** All of an answer that could differ, the names and ids that were sent aside. */
const shape = ({ status, body }: Answer, sent: string): unknown => [
  status,
  JSON.parse(
    JSON.stringify(body['error'] ?? null, (key, value) => (key === 'request_id' || key === 'timestamp' ? null : value)).replaceAll(
      sent,
      '*',
    ),
  ),
];

const upload = async (client: ApiClient, path: string, field: string, labels: [string, string]): Promise<Answer> => {
  const form = new FormData();
  form.append(field, new Blob([`text of ${unique()}`]), 'note.txt');
  form.append(...labels);
  const response = await client.request(path, { method: 'POST', body: form });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
};

test('a label that the caller may not read is answered as one that does not exist, on every route that takes labels', async (t) => {
  const { api, client, documentId } = await given(t.context, 'own-reader');
  await using _ = api;
  const name = unique();
  const id = await label(t.context.admin, name);
  const ways = {
    put: (text: string) => client.send('PUT', `/api/documents/${documentId}`, { labels: [text] }),
    patch: (text: string) => client.send('PATCH', `/api/documents/${documentId}`, { labels: [text] }),
    add: (text: string) => client.post('/api/documents/bulk', { ids: [documentId], action: 'add_labels', labels: [text] }),
    remove: (text: string) => client.post('/api/documents/bulk', { ids: [documentId], action: 'remove_labels', labels: [text] }),
  };
  const byId = {
    upload: (text: string) => upload(client, '/api/documents/upload', 'file', ['labels', text]),
    bulkUpload: (text: string) => upload(client, '/api/documents/bulk-upload', 'files', ['default_labels', text]),
    assign: (text: string) => client.post(`/api/labels/${text}/assign`, { document_ids: [documentId] }),
    unassign: (text: string) => client.post(`/api/labels/${text}/unassign`, { document_ids: [documentId] }),
  };
  const absent = crypto.randomUUID();
  for (const [way, ask] of Object.entries({ ...ways, ...byId })) {
    const foreign = await ask(id);
    t.true(foreign.status === 400 || foreign.status === 404, `${way}: ${foreign.status}`);
    t.deepEqual(shape(foreign, id), shape(await ask(absent), absent), way);
  }
  const none = unique();
  for (const [way, ask] of Object.entries(ways)) t.deepEqual(shape(await ask(name), name), shape(await ask(none), none), way);
  t.deepEqual((await client.get(`/api/documents/${documentId}`)).body['labels'], []);
});

test('a name of a label that the caller may not read is free for them', async (t) => {
  const { api, client, documentId } = await given(t.context, 'own-reader');
  await using _ = api;
  const name = unique();
  const foreign = await label(t.context.admin, name);
  const mine = await label(client, name.toUpperCase());
  t.not(mine, foreign);
  const again = await client.post('/api/labels', { name });
  t.is(again.status, 409);
  t.like(again.body['error'], { details: { label_id: mine } });
  const other = await label(t.context.admin, unique());
  const renamed = await client.send('PUT', `/api/labels/${mine}`, {
    name: String((await t.context.admin.get(`/api/labels/${other}`)).body['name']),
  });
  t.is(renamed.status, 200);
  t.is((await client.send('PUT', `/api/labels/${mine}`, { name })).status, 200);

  t.is((await client.send('PUT', `/api/documents/${documentId}`, { labels: [name] })).status, 200);
  t.is((await client.get(`/api/labels/${mine}`)).body['document_count'], 1);
  t.is((await t.context.admin.get(`/api/labels/${foreign}`)).body['document_count'], 0);

  // whoever reads both is answered once for both, and their own label goes first
  const found = await t.context.admin.get(`/api/search?q=${encodeURIComponent(`label:"${name}"`)}`);
  t.is(found.status, 200);
  const document = await givenDocument(t.context.database.db, { ownerId: String((await t.context.admin.get('/api/auth/me')).body['id']) });
  t.is((await t.context.admin.send('PUT', `/api/documents/${document.id}`, { labels: [name] })).status, 200);
  t.is((await t.context.admin.get(`/api/labels/${foreign}`)).body['document_count'], 1);
});

test('labels of one name count as one by name, and stay apart on a document that has both', async (t) => {
  const { api, client, documentId } = await given(t.context, 'own-reader');
  await using _ = api;
  const { admin } = t.context;
  const name = unique();
  const ids = [await label(admin, name), await label(client, name)];
  for (const id of ids) t.is((await admin.post(`/api/labels/${id}/assign`, { document_ids: [documentId] })).status, 200);
  t.deepEqual((await client.get(`/api/documents/${documentId}`)).body['labels'], [name, name]);
  const counts = async () => Promise.all(ids.map(async (id) => (await admin.get(`/api/labels/${id}`)).body['document_count']));
  t.is((await client.send('PUT', `/api/documents/${documentId}`, { labels: [name, name] })).status, 200);
  t.deepEqual(await counts(), [1, 1]);
  const analytics = (await admin.get('/api/analytics/documents')).body['by_label'] as Record<string, number>;
  t.is(analytics[name], 2);
  t.is((await client.post('/api/documents/bulk', { ids: [documentId], action: 'remove_labels', labels: [name] })).status, 200);
  t.deepEqual(await counts(), [0, 0]);
});

test('a label that is on a document already is part of it, and may be put on again or taken off', async (t) => {
  for (const username of ['own-reader', 'no-reader'] as const) {
    const { api, client, documentId } = await given(t.context, username);
    await using _ = api;
    const name = unique();
    const id = await label(t.context.admin, name);
    t.is((await t.context.admin.post(`/api/labels/${id}/assign`, { document_ids: [documentId] })).status, 200);
    t.is((await client.send('PUT', `/api/documents/${documentId}`, { labels: [name], title: unique() })).status, 200);
    t.deepEqual((await client.get(`/api/documents/${documentId}`)).body['labels'], [name]);
    t.is((await client.send('PUT', `/api/documents/${documentId}`, { labels: [] })).status, 200);
    t.deepEqual((await client.get(`/api/documents/${documentId}`)).body['labels'], []);
  }
});

test('who may not read labels is refused where they name some, whether they exist or not', async (t) => {
  const { api, client, documentId } = await given(t.context, 'no-reader');
  await using _ = api;
  const id = await label(t.context.admin, unique());
  for (const text of [id, crypto.randomUUID()]) {
    const answers = [
      await client.send('PUT', `/api/documents/${documentId}`, { labels: [text] }),
      await client.post('/api/documents/bulk', { ids: [documentId], action: 'add_labels', labels: [text] }),
      await upload(client, '/api/documents/upload', 'file', ['labels', text]),
      await upload(client, '/api/documents/bulk-upload', 'files', ['default_labels', text]),
    ];
    t.deepEqual(
      answers.map(({ status, body }) => [status, (body['error'] as { details: unknown }).details]),
      answers.map(() => [403, { reason: 'permission_needed', permission: 'labels.read' }]),
    );
  }
});
