import { savePages } from '@sheaf/documents/pages';
import { claimJob } from '@sheaf/queue';
import { indexDocument } from '@sheaf/search';
import { ApiClient, givenDocument } from '@sheaf/testkit';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { conditionOf } from '../../support/error-condition.ts';
import { fullOnly } from '../../support/full-run.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

// deleting 10,000 documents may take longer than a request usually may, on a busy machine
const test = testWithApi({ REQUEST_TIMEOUT: '600' });

const PATH = '/api/documents/bulk';
const ABSENT = '019eb1f0-0000-7000-8000-000000000000';

let count = 0;
const upload = async (client: ApiClient): Promise<string> => {
  count += 1;
  const { body } = await client.upload({ name: 'bulk.txt', bytes: new TextEncoder().encode(`one of many ${count}`) });
  return String(body['id']);
};
const several = async (client: ApiClient, n: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let i = 0; i < n; i += 1) ids.push(await upload(client));
  return ids;
};

const givenUser = async ({ admin, anyone }: RunningApi, name: string, role: string): Promise<ApiClient> => {
  await admin.post('/api/auth/register', { username: name, email: `${name}@example.org`, password: 'correct horse battery', role });
  return anyone.login(name);
};

const givenLabel = async ({ database }: RunningApi, name: string): Promise<string> =>
  (
    await database.pool.query<{ id: string }>(
      "insert into labels (id, name, color) values (gen_random_uuid(), $1, '#00ff00') returning id",
      [name],
    )
  ).rows[0]?.id ?? '';

const eventsOf = async ({ database }: RunningApi, ids: readonly string[], type: string) =>
  (
    await database.pool.query<{ id: string; data: { changes?: unknown } }>(
      'select document_id as id, data from events where document_id = any($1) and type = $2',
      [ids, type],
    )
  ).rows;

const labelsOf = async ({ admin }: RunningApi, ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await admin.get(`/api/documents/${id}`)).body['labels']));

const statusesOf = async ({ admin }: RunningApi, ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await admin.get(`/api/documents/${id}`)).status));

const codeOf = (body: Record<string, unknown>) => conditionOf(body);
const detailsOf = (body: Record<string, unknown>) => (body['error'] as { details: Record<string, unknown> }).details;

test('labels are put on many and taken off again, each document told once', async (t) => {
  const { admin } = t.context;
  const ids = await several(admin, 3);
  const label = await givenLabel(t.context, 'Bulk A');
  await givenLabel(t.context, 'Bulk B');
  const { status, body } = await admin.post(PATH, { ids, action: 'add_labels', labels: [label, 'bulk b'] });
  t.is(status, 200);
  t.deepEqual(body, { matched: 3, done: 3 });
  t.deepEqual(await labelsOf(t.context, ids), [
    ['Bulk A', 'Bulk B'],
    ['Bulk A', 'Bulk B'],
    ['Bulk A', 'Bulk B'],
  ]);
  const added = await eventsOf(t.context, ids, 'document_updated');
  t.deepEqual(
    added.map(({ data }) => data.changes),
    Array.from({ length: 3 }, () => ({ labels: ['Bulk A', 'Bulk B'] })),
  );
  t.deepEqual((await admin.post(PATH, { ids: ids.slice(0, 2), action: 'remove_labels', labels: ['BULK A'] })).body, {
    matched: 2,
    done: 2,
  });
  t.deepEqual(await labelsOf(t.context, ids), [['Bulk B'], ['Bulk B'], ['Bulk A', 'Bulk B']]);
  const again = await admin.post(PATH, { ids: ids.slice(0, 2), action: 'remove_labels', labels: ['Bulk A'] });
  t.deepEqual(again.body, { matched: 2, done: 2 }, 'as wished already');
  t.is((await eventsOf(t.context, ids, 'document_updated')).length, 5, 'and nobody is told');
});

test('labels that do not exist are 400 and nothing changes', async (t) => {
  const { admin } = t.context;
  const ids = await several(admin, 1);
  const { status, body } = await admin.post(PATH, { ids, action: 'add_labels', labels: ['nothing of the kind'] });
  t.is(status, 400);
  t.deepEqual(detailsOf(body)['unknown_labels'], ['nothing of the kind']);
});

test('many are removed for good with their rows, their index entries, their jobs and their bytes, and each is told', async (t) => {
  const { admin, database, storedFiles } = t.context;
  const ids = await several(admin, 4);
  const { rows } = await database.pool.query<{ sha256: string }>('select sha256 from documents where id = any($1)', [ids]);
  await savePages(database.db, ids[0] ?? '', [{ page: 1, content: 'aardvark', confidence: 1, origin: 'text' }]);
  await indexDocument(database.db, ids[0] ?? '');
  t.deepEqual(await admin.find('aardvark'), [ids[0]]);
  const { body } = await admin.post(PATH, { ids: [...ids, ids[0]], action: 'delete', permanent: true });
  t.deepEqual(body, { matched: 4, done: 4 }, 'one that is named twice counts once');
  t.deepEqual(await statusesOf(t.context, ids), [404, 404, 404, 404]);
  t.deepEqual(await admin.find('aardvark'), []);
  const left = await database.pool.query('select 1 from ocr_jobs where document_id = any($1)', [ids]);
  t.is(left.rowCount, 0);
  const files = await storedFiles();
  t.false(rows.some(({ sha256 }) => files.some((file) => file.includes(sha256))));
  t.is((await eventsOf(t.context, ids, 'document_deleted')).length, 4);
});

test('an id that does not exist is named with 404 and nothing changes', async (t) => {
  const { admin } = t.context;
  const ids = await several(admin, 2);
  const { status, body } = await admin.post(PATH, { ids: [...ids, ABSENT, ABSENT.replace('019', '020')], action: 'delete' });
  t.is(status, 404);
  t.is(codeOf(body), 'DOCUMENT_NOT_FOUND');
  t.deepEqual(detailsOf(body)['document_ids'], [ABSENT, ABSENT.replace('019', '020')]);
  t.deepEqual(await statusesOf(t.context, ids), [200, 200]);
});

test('one document on which the caller may not act refuses them all', async (t) => {
  const { admin } = t.context;
  const editor = await givenUser(t.context, 'bulk-editor', 'editor');
  const [theirs, mine] = [await upload(admin), await upload(editor)];
  const { status, body } = await editor.post(PATH, { ids: [mine, theirs], action: 'delete' });
  t.is(status, 403);
  t.deepEqual(detailsOf(body)['document_ids'], [theirs]);
  t.deepEqual(await statusesOf(t.context, [mine, theirs]), [200, 200]);
  t.deepEqual((await editor.post(PATH, { ids: [mine], action: 'delete' })).body, { matched: 1, done: 1 });
});

test('who has no right to an action at all gets 403, whatever they names', async (t) => {
  const viewer = await givenUser(t.context, 'bulk-viewer', 'viewer');
  for (const action of [
    { action: 'delete' },
    { action: 'add_labels', labels: ['x'] },
    { action: 'remove_labels', labels: ['x'] },
    { action: 'retry_ocr' },
  ]) {
    t.is((await viewer.post(PATH, { ids: [ABSENT], ...action })).status, 403, action.action);
    t.is((await viewer.post(PATH, { filter: { status: 'failed' }, ...action })).status, 403, action.action);
  }
});

test('documents that one may not read do not exist: not among ids, and no filter matches them', async (t) => {
  const { admin, database } = t.context;
  await using api = await startApiWithPermissions(database, {
    hermit: ['documents.read.own', 'documents.create', 'documents.delete', 'documents.update'],
  });
  await givenUser(t.context, 'hermit', 'editor');
  const hermit = await new ApiClient(api.url).login('hermit');
  const [theirs, mine] = [await upload(admin), await upload(hermit)];
  const { status, body } = await hermit.post(PATH, { ids: [mine, theirs], action: 'delete' });
  t.is(status, 404);
  t.is(detailsOf(body)['document_id'], theirs);
  t.deepEqual((await hermit.post(PATH, { filter: {}, action: 'delete', confirm: 1 })).body, { matched: 1, done: 1 });
  t.deepEqual(await statusesOf(t.context, [mine, theirs]), [404, 200]);
});

test('a filter matches as the list does, and one document among them that is not the caller’s refuses all', async (t) => {
  const { admin, database } = t.context;
  const label = await givenLabel(t.context, 'Filtered');
  const other = await givenLabel(t.context, 'Filtered too');
  const ids = await several(admin, 4);
  await admin.post(PATH, { ids, action: 'add_labels', labels: [label] });
  await admin.post(PATH, { ids: ids.slice(0, 2), action: 'add_labels', labels: [other] });
  await database.pool.query("update documents set created_at = '2020-05-05T12:00:00Z', status = 'failed', error_code = 'x' where id = $1", [
    ids[0],
  ]);
  const matched = async (filter: object) =>
    (await admin.post(PATH, { filter: { label_ids: [label], ...filter }, action: 'add_labels', labels: [label] })).body['matched'];
  t.is(await matched({}), 4);
  t.is(await matched({ label_ids: [label, other] }), 4);
  t.is(await matched({ label_ids: [label, other], label_match: 'all' }), 2);
  t.is(await matched({ has_labels: false }), 0);
  t.is(await matched({ owner_id: ABSENT }), 0);
  t.is(await matched({ mime_types: [] }), 4);
  t.is(await matched({ status: 'failed' }), 1);
  t.is(await matched({ date_to: '2020-05-05' }), 1, 'a date is its whole day');
  t.is(await matched({ date_from: '2020-05-06' }), 3);
  t.is(await matched({ date_from: '2020-05-05T12:00:00Z', date_to: '2020-05-05T12:00:00Z' }), 1);
  t.is(await matched({ mime_types: ['text/plain', 'application/pdf'] }), 4);
  t.is(await matched({ mime_types: ['application/pdf'] }), 0);
  t.is(await matched({ source_id: ABSENT }), 0);
  t.is(await matched({ date_from: '0000-01-01', date_to: '9999-12-31' }), 4);
  const editor = await givenUser(t.context, 'filter-editor', 'editor');
  const refused = await editor.post(PATH, { filter: { label_ids: [label] }, action: 'delete' });
  t.is(refused.status, 403);
  for (const unconfirmed of [{}, { confirm: 3 }]) {
    const asked = await admin.post(PATH, { filter: { label_ids: [label] }, action: 'delete', ...unconfirmed });
    t.is(asked.status, 400);
    t.like(detailsOf(asked.body), { reason: 'not_confirmed', matched: 4 });
  }
  t.deepEqual(await statusesOf(t.context, ids), [200, 200, 200, 200]);
  const confirmed = { filter: { label_ids: [label] }, action: 'delete', confirm: 4 };
  t.deepEqual((await admin.post(PATH, confirmed)).body, { matched: 4, done: 4 });
  t.deepEqual(await statusesOf(t.context, ids), [404, 404, 404, 404]);
});

test('many are read again, unless one of them is being read', async (t) => {
  const { admin, database } = t.context;
  const ids = await several(admin, 3);
  await database.pool.query("update documents set status = 'failed', error_code = 'timeout' where id = any($1)", [ids]);
  await database.pool.query("update ocr_jobs set status = 'failed', attempts = 3 where document_id = any($1)", [ids]);
  t.deepEqual((await admin.post(PATH, { ids, action: 'retry_ocr' })).body, { matched: 3, done: 3 });
  const { rows } = await database.pool.query(
    'select documents.status, ocr_jobs.status as job, attempts, documents.error_code from documents join ocr_jobs on document_id = documents.id where documents.id = any($1)',
    [ids],
  );
  t.deepEqual(
    rows,
    Array.from({ length: 3 }, () => ({ status: 'pending', job: 'pending', attempts: 0, error_code: null })),
  );
  t.is((await eventsOf(t.context, ids, 'document_updated')).length, 3);

  t.is((await admin.post(PATH, { ids, action: 'retry_ocr', language: 'deu' })).status, 200);
  const languages = await database.pool.query('select distinct ocr_language from documents where id = any($1)', [ids]);
  t.deepEqual(languages.rows, [{ ocr_language: 'deu' }]);
  t.is((await admin.post(PATH, { ids, action: 'delete', language: 'deu' })).status, 400, 'nothing is read');

  await database.pool.query("update documents set status = 'processing' where id = $1", [ids[1]]);
  const { status, body } = await admin.post(PATH, { ids, action: 'retry_ocr' });
  t.is(status, 409);
  t.is(codeOf(body), 'DOCUMENT_IS_PROCESSING');
  t.deepEqual(detailsOf(body)['document_ids'], [ids[1]]);
  t.is((await eventsOf(t.context, ids, 'document_updated')).length, 6);
});

test('what is wrong with a request is 400 and says where', async (t) => {
  for (const bad of [
    {},
    { ids: [ABSENT] },
    { action: 'delete' },
    { ids: [ABSENT], filter: {}, action: 'delete' },
    { ids: [ABSENT], action: 'delete', labels: ['x'] },
    { filter: { date_from: 'soon' }, action: 'delete' },
  ]) {
    const { status, body } = await t.context.admin.post(PATH, bad);
    t.is(status, 400, JSON.stringify(bad));
    t.true(Array.isArray(detailsOf(body)['issues']));
  }
});

test.serial('deletes, labels, retries and reads of the same documents at once end without a deadlock', async (t) => {
  const { admin, database } = t.context;
  const ids = await several(admin, 12);
  const label = await givenLabel(t.context, 'Crowded');
  const turned = ids.toReversed();
  const claims = Promise.all(Array.from({ length: 30 }, () => claimJob(database.db, 'a worker', 60_000)));
  const answers = await Promise.all([
    ...Array.from({ length: 4 }, (_, n) => admin.post(PATH, { ids: n % 2 === 0 ? ids : turned, action: 'add_labels', labels: [label] })),
    ...Array.from({ length: 4 }, (_, n) => admin.post(PATH, { ids: n % 2 === 0 ? turned : ids, action: 'retry_ocr' })),
    ...ids.map((id) => admin.send('PUT', `/api/documents/${id}`, { title: `crowded ${id}`, labels: ['crowded'] })),
    ...ids.map((id) => admin.post(`/api/documents/${id}/retry-ocr`, {})),
    admin.post(PATH, { ids: turned.slice(0, 6), action: 'delete' }),
    admin.delete(`/api/documents/${ids[0]}`),
  ]);
  await claims;
  t.deepEqual(
    answers.map(({ status }) => status).filter((status) => ![200, 204, 404, 409].includes(status)),
    [],
  );
  const { rows } = await database.pool.query<{ deadlocks: string }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  t.deepEqual(rows, [{ deadlocks: '0' }]);
});

fullOnly(test.serial)('a filter reaches at most 10,000 documents', async (t) => {
  const { admin, database } = t.context;
  const { id: ownerId } = (await admin.get('/api/auth/me')).body as { id: string };
  const template = await givenDocument(database.db, { ownerId, mimeType: 'application/x-many' });
  await database.pool.query(
    `insert into documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source)
     select gen_random_uuid(), owner_id, title, filename, mime_type, size_bytes, encode(sha256(n::text::bytea), 'hex'), file_path, ocr_language, source
     from documents, generate_series(1, 10000) as n where id = $1`,
    [template.id],
  );
  const filter = { mime_types: ['application/x-many'] };
  const { status, body } = await admin.post(PATH, { filter, action: 'delete' });
  t.is(status, 400);
  t.like(detailsOf(body), { limit: 10_000, reason: 'too_many_documents' });
  await admin.delete(`/api/documents/${template.id}`);
  const label = await givenLabel(t.context, 'Ten thousand');
  t.deepEqual((await admin.post(PATH, { filter, action: 'add_labels', labels: [label] })).body, { matched: 10_000, done: 10_000 });
  t.deepEqual((await admin.post(PATH, { filter, action: 'retry_ocr' })).body, { matched: 10_000, done: 10_000 });
  const started = performance.now();
  t.deepEqual((await admin.post(PATH, { filter, action: 'delete', confirm: 10_000 })).body, { matched: 10_000, done: 10_000 });
  t.log(`10,000 deleted in ${Math.round(performance.now() - started)} ms`);
});
