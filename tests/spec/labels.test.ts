// The rows of the specification on labels: the resource's fields, the operations, the error codes, the paging of lists.
import { uuidv7 } from '@sheaf/process';
import { testWithApi } from '../support/running-api.ts';

const test = testWithApi();

const UUID = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

test('Label: id, name, color, description, document_count, created_by, created_at', async (t) => {
  const { body } = await t.context.admin.post('/api/labels', { name: 'Invoices', color: '#FF8800', description: 'to be paid' });
  const beside = ['parent_id', 'path']; // of labels below others, beyond the table
  t.deepEqual(
    Object.keys(body)
      .filter((name) => !beside.includes(name))
      .toSorted(),
    ['color', 'created_at', 'created_by', 'description', 'document_count', 'id', 'name'],
  );
  t.regex(String(body['id']), UUID);
  t.deepEqual(
    [body['name'], body['color'], body['description'], body['document_count'], body['created_by']],
    ['Invoices', '#FF8800', 'to be paid', 0, 'admin'],
  );
  t.is(new Date(String(body['created_at'])).toISOString(), String(body['created_at']));
});

test('List labels: 200 {labels: [label]}', async (t) => {
  const { status, body } = await t.context.admin.get('/api/labels');
  t.is(status, 200);
  t.true(Array.isArray(body['labels']));
});

test('Create / update / delete label', async (t) => {
  const { admin } = t.context;
  const made = await admin.post('/api/labels', { name: 'Contracts', color: '#000000' });
  t.is(made.status, 201);
  const path = `/api/labels/${String(made.body['id'])}`;
  t.is((await admin.send('PUT', path, { name: 'Agreements' })).body['name'], 'Agreements');
  t.is((await admin.delete(path)).status, 204);
  t.is((await admin.get(path)).status, 404);
});

test('Assign label to documents: a list carries the names, a filter takes the ids', async (t) => {
  const { admin } = t.context;
  const { body: label } = await admin.post('/api/labels', { name: 'Letters' });
  const { body: document } = await admin.upload({ name: 'letter.txt', bytes: new TextEncoder().encode('a letter') });
  const assigned = await admin.post(`/api/labels/${String(label['id'])}/assign`, { document_ids: [document['id']] });
  t.deepEqual([assigned.status, assigned.body], [200, { assigned: 1 }]);
  const { body } = await admin.get(`/api/documents?label_ids=${String(label['id'])}`);
  t.deepEqual(
    (body['data'] as { id: string; labels: string[] }[]).map(({ id, labels }) => [id, labels]),
    [[document['id'], ['Letters']]],
  );
});

test('Errors: DUPLICATE_RESOURCE 409, NOT_FOUND 404, VALIDATION_ERROR 400', async (t) => {
  const { admin } = t.context;
  await admin.post('/api/labels', { name: 'Twice' });
  const twice = await admin.post('/api/labels', { name: 'twice' });
  t.deepEqual([twice.status, (twice.body['error'] as { code: string }).code], [409, 'DUPLICATE_RESOURCE']);
  t.is((await admin.get(`/api/labels/${uuidv7()}`)).status, 404);
  t.is((await admin.post('/api/labels', { name: 'Blue', color: 'blue' })).status, 400);
});

test('Pagination: page 1 and per_page 20 by default, 100 at most', async (t) => {
  const { admin } = t.context;
  for (let i = 0; i < 21; i += 1) await admin.post('/api/labels', { name: `Number ${i}` });
  const { body } = await admin.get('/api/labels?q=number&sort=created_at&order=desc');
  t.is((body['labels'] as unknown[]).length, 20);
  t.deepEqual(body['pagination'], { page: 1, per_page: 20, total: 21, total_pages: 2, has_next: true, has_prev: false });
  t.like((await admin.get('/api/labels?per_page=101')).body['pagination'], { per_page: 100 });
});
