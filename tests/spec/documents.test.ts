// The rows of the specification that speak of documents, beside those of the main job. A title names its table and row.
import type { ApiClient } from '@sheaf/testkit';
import sharp from 'sharp';
import { z } from 'zod';
import { testWithApi } from '../support/running-api.ts';

const test = testWithApi();

const note = (words: string) => ({ name: 'note.txt', bytes: new TextEncoder().encode(words) });

const givenDocument = async (admin: ApiClient, words: string, fields: Readonly<Record<string, string>> = {}): Promise<string> =>
  String((await admin.upload(note(words), fields)).body['id']);

const sendFiles = async (admin: ApiClient, words: readonly string[], fields: Readonly<Record<string, string>> = {}) => {
  const form = new FormData();
  for (const [n, text] of words.entries()) form.append('files', new Blob([text]), `file-${n}.txt`);
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const response = await admin.request('/api/documents/bulk-upload', { method: 'POST', body: form });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

test('Operations whose path is not shown: Update document takes {title, labels: string[], metadata: object} and answers 200', async (t) => {
  const { admin } = t.context;
  const id = await givenDocument(admin, 'row of the update');
  const { status, body } = await admin.send('PUT', `/api/documents/${id}`, { title: 'Updated', labels: [], metadata: { any: 'key' } });
  t.is(status, 200);
  t.like(body, { id, title: 'Updated', labels: [], metadata: { any: 'key' } });
});

test('Operations whose path is not shown: Download document answers 200 with a file attachment', async (t) => {
  const id = await givenDocument(t.context.admin, 'row of the download');
  const response = await t.context.admin.request(`/api/documents/${id}/download`);
  t.is(response.status, 200);
  t.is(response.headers.get('content-disposition'), 'attachment; filename="note.txt"');
  t.is(await response.text(), 'row of the download');
});

test('Operations whose path is not shown: Document thumbnail is within 200 by 200 where nothing is said', async (t) => {
  const id = await givenDocument(t.context.admin, 'row of the thumbnail');
  const response = await t.context.admin.request(`/api/documents/${id}/thumbnail`);
  t.is(response.status, 200);
  const { width, height } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
  t.is(Math.max(width, height), 200);
});

test('Operations whose path is not shown: Delete document answers 204 without a body, and the document is gone', async (t) => {
  const id = await givenDocument(t.context.admin, 'row of the deletion');
  const response = await t.context.admin.request(`/api/documents/${id}`, { method: 'DELETE' });
  t.is(response.status, 204);
  t.is(await response.text(), '');
  t.is((await t.context.admin.get(`/api/documents/${id}`)).status, 404);
});

test('Operations whose path is not shown: Bulk upload takes several files and default_labels and answers 201', async (t) => {
  const { admin, database } = t.context;
  const label = '019eb1f0-2222-7000-8000-000000000001';
  await database.pool.query("insert into labels (id, name, color) values ($1, 'Default', '#00ff00')", [label]);
  const { status, body } = await sendFiles(admin, ['row of the bulk upload', 'another row'], { default_labels: label });
  t.is(status, 201);
  t.like(body, { uploaded: 2, failed: 0, documents: [{ labels: ['Default'] }, { labels: ['Default'] }] });
});

test('Limits: Maximum bulk upload is 10 files', async (t) => {
  const words = (n: number) => Array.from({ length: n }, (_, i) => `limit of ${n}: ${i}`);
  t.is((await sendFiles(t.context.admin, words(10))).status, 201);
  const { status, body } = await sendFiles(t.context.admin, words(11));
  t.is(status, 400);
  t.like(body['error'], { code: 'VALIDATION_ERROR' });
});

test('Document: title is settable on upload and update', async (t) => {
  const { admin } = t.context;
  const id = await givenDocument(admin, 'title of two makers', { title: 'On upload' });
  t.is((await admin.get(`/api/documents/${id}`)).body['title'], 'On upload');
  await admin.send('PUT', `/api/documents/${id}`, { title: 'On update' });
  t.is((await admin.get(`/api/documents/${id}`)).body['title'], 'On update');
});

test('Document: metadata has free-form keys and is settable on update', async (t) => {
  const { admin } = t.context;
  const id = await givenDocument(admin, 'free keys');
  t.deepEqual((await admin.get(`/api/documents/${id}`)).body['metadata'], {});
  const metadata = { 'a key of my own': [1, { two: null }], Übung: true };
  await admin.send('PUT', `/api/documents/${id}`, { metadata });
  t.deepEqual((await admin.get(`/api/documents/${id}`)).body['metadata'], metadata);
});

test('Document: labels are values in lists and ids in filters and uploads', async (t) => {
  const { admin, database } = t.context;
  const label = '019eb1f0-2222-7000-8000-000000000002';
  await database.pool.query("insert into labels (id, name, color) values ($1, 'By id', '#00ff00')", [label]);
  const id = await givenDocument(admin, 'labelled by id', { labels: label });
  const { body } = await admin.get(`/api/documents?label_ids=${label}`);
  t.like(body, { data: [{ id, labels: ['By id'] }], pagination: { total: 1 } });
});

test('Document: updated_at follows a change, created_at does not', async (t) => {
  const { admin } = t.context;
  const id = await givenDocument(admin, 'two moments');
  const { body: before } = await admin.get(`/api/documents/${id}`);
  const { body: after } = await admin.send('PATCH', `/api/documents/${id}`, { title: 'Later' });
  t.is(after['created_at'], before['created_at']);
  t.true(String(after['updated_at']) > String(before['updated_at']));
});

test('Document: content is the extracted text, whole for one document and an excerpt in lists', async (t) => {
  const { admin, database } = t.context;
  const id = await givenDocument(admin, 'with content');
  const text = 'word '.repeat(400);
  await database.pool.query("insert into document_pages (document_id, page, content, confidence, origin) values ($1, 1, $2, 1, 'text')", [
    id,
    text,
  ]);
  await database.pool.query('update documents set content_excerpt = left($2, 500) where id = $1', [id, text]);
  t.is((await admin.get(`/api/documents/${id}`)).body['content'], text);
  const data = z
    .array(z.looseObject({ id: z.string(), content: z.string() }))
    .parse((await admin.get('/api/documents?per_page=100')).body['data']);
  t.is(data.find((row) => row.id === id)?.content, text.slice(0, 500));
});

test('Events: document_updated carries document_id and changes', async (t) => {
  const { admin, database } = t.context;
  const id = await givenDocument(admin, 'an event of change');
  await admin.send('PUT', `/api/documents/${id}`, { title: 'Told' });
  const { rows } = await database.pool.query("select data from events where document_id = $1 and type = 'document_updated'", [id]);
  t.deepEqual(rows, [{ data: { document_id: id, changes: { title: 'Told' } } }]);
});

test('Errors: a duplicate answers 409 DUPLICATE_RESOURCE, also as one of several files', async (t) => {
  const { admin } = t.context;
  const id = await givenDocument(admin, 'twice the same');
  const single = await admin.upload(note('twice the same'));
  t.is(single.status, 409);
  t.like(single.body['error'], { code: 'DUPLICATE_RESOURCE', details: { document_id: id } });
  const { body } = await sendFiles(admin, ['twice the same', 'once only']);
  t.like(body['errors'], [{ error: { code: 'DUPLICATE_RESOURCE', details: { document_id: id } } }]);
});

test('Errors: who may not update a document gets 403 FORBIDDEN', async (t) => {
  const { admin } = t.context;
  const viewer = await admin.register('spec-viewer', 'viewer');
  const id = await givenDocument(admin, 'not to be changed');
  const { status, body } = await viewer.send('PUT', `/api/documents/${id}`, { title: 'x' });
  t.is(status, 403);
  t.like(body['error'], { code: 'FORBIDDEN' });
});
