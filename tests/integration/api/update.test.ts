import type { ApiClient } from '@sheaf/testkit';
import { ApiClient as Client } from '@sheaf/testkit';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { conditionOf } from '../../support/error-condition.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

let count = 0;
const givenDocument = async (client: ApiClient): Promise<string> => {
  count += 1;
  const { body } = await client.upload({ name: 'paper.txt', bytes: new TextEncoder().encode(`paper number ${count}`) });
  return String(body['id']);
};

const givenLabel = async ({ database }: RunningApi, name: string): Promise<string> => {
  const { rows } = await database.pool.query<{ id: string }>(
    "insert into labels (id, name, color) values (gen_random_uuid(), $1, '#00ff00') returning id",
    [name],
  );
  return rows[0]?.id ?? '';
};

const eventsOf = async ({ database }: RunningApi, id: string): Promise<unknown[]> =>
  (
    await database.pool.query<{ data: { changes: unknown } }>(
      "select data from events where document_id = $1 and type = 'document_updated' order by id",
      [id],
    )
  ).rows.map(({ data }) => data.changes);

const codeOf = (body: Record<string, unknown>) => conditionOf(body);
const detailsOf = (body: Record<string, unknown>) => (body['error'] as { details: Record<string, unknown> }).details;

for (const method of ['PUT', 'PATCH'] as const) {
  test(`${method} changes the fields that are given, answers the whole document and says what changed`, async (t) => {
    const { admin } = t.context;
    const id = await givenDocument(admin);
    const label = await givenLabel(t.context, `Taxes of ${method}`);
    const before = (await admin.get(`/api/documents/${id}`)).body;
    const { status, body } = await admin.send(method, `/api/documents/${id}`, {
      title: '  A new title ',
      labels: [label],
      metadata: { year: 2026, tags: ['a'] },
    });
    t.is(status, 200);
    t.like(body, { id, title: 'A new title', labels: [`Taxes of ${method}`], metadata: { year: 2026, tags: ['a'] } });
    t.not(body['updated_at'], before['updated_at']);
    t.deepEqual(
      { ...body, updated_at: 0 },
      { ...before, title: body['title'], labels: body['labels'], metadata: body['metadata'], updated_at: 0 },
    );
    t.deepEqual(body, (await admin.get(`/api/documents/${id}`)).body);
    const second = await admin.send(method, `/api/documents/${id}`, { title: 'Another' });
    t.like(second.body, { title: 'Another', labels: [`Taxes of ${method}`], metadata: { year: 2026, tags: ['a'] } });
    const third = await admin.send(method, `/api/documents/${id}`, { labels: [], metadata: {} });
    t.like(third.body, { title: 'Another', labels: [], metadata: {} });
    t.deepEqual(await eventsOf(t.context, id), [
      { title: 'A new title', labels: [`Taxes of ${method}`], metadata: { year: 2026, tags: ['a'] } },
      { title: 'Another' },
      { labels: [], metadata: {} },
    ]);
  });
}

test('a document is found by its new title at once, and by its old one no more', async (t) => {
  const { admin } = t.context;
  const id = await givenDocument(admin);
  await admin.send('PUT', `/api/documents/${id}`, { title: 'quagga' });
  t.deepEqual(await admin.find('quagga'), [id]);
  await admin.send('PUT', `/api/documents/${id}`, { title: 'okapi' });
  t.deepEqual(await admin.find('quagga'), []);
  t.deepEqual(await admin.find('okapi'), [id]);
});

test('giving what is there already changes nothing and tells nobody', async (t) => {
  const { admin } = t.context;
  const id = await givenDocument(admin);
  const label = await givenLabel(t.context, 'Same as before');
  const update = { title: 'Same', labels: [label], metadata: { a: { b: 1 } } };
  const first = await admin.send('PUT', `/api/documents/${id}`, update);
  const again = await admin.send('PUT', `/api/documents/${id}`, update);
  t.deepEqual(again.body, first.body);
  t.is((await eventsOf(t.context, id)).length, 1);
});

test('labels are given by id or by name, in any case of letters, and once however often they are named', async (t) => {
  const { admin } = t.context;
  const id = await givenDocument(admin);
  const label = await givenLabel(t.context, 'Österreich');
  const other = await givenLabel(t.context, 'Zoo');
  const { body } = await admin.send('PUT', `/api/documents/${id}`, { labels: ['öSTERREICH', label.toUpperCase(), 'zoo', other] });
  t.deepEqual(body['labels'], ['Zoo', 'Österreich']);
});

test('an id goes before a label that is called like one', async (t) => {
  const { admin } = t.context;
  const id = await givenDocument(admin);
  const label = await givenLabel(t.context, 'The one that is meant');
  await givenLabel(t.context, label);
  const { body } = await admin.send('PUT', `/api/documents/${id}`, { labels: [label] });
  t.deepEqual(body['labels'], ['The one that is meant']);
});

test('labels that do not exist are named, and nothing changes', async (t) => {
  const { admin } = t.context;
  const id = await givenDocument(admin);
  const { status, body } = await admin.send('PUT', `/api/documents/${id}`, { title: 'Not this', labels: ['nowhere', 'nor here'] });
  t.is(status, 400);
  t.is(codeOf(body), 'VALIDATION_ERROR');
  t.deepEqual(detailsOf(body)['unknown_labels'], ['nowhere', 'nor here']);
  t.is((await admin.get(`/api/documents/${id}`)).body['title'], 'paper');
});

test('what is wrong with an update is 400 and says where', async (t) => {
  const { admin } = t.context;
  const id = await givenDocument(admin);
  for (const bad of [
    {},
    { status: 'completed' },
    { title: '' },
    { title: 5 },
    { title: 'a\0' },
    { labels: 'x' },
    { labels: ['\0'] },
    { metadata: [] },
    { metadata: { a: '\0' } },
    null,
    'x',
  ]) {
    const { status, body } = await admin.send('PUT', `/api/documents/${id}`, bad);
    t.is(status, 400, JSON.stringify(bad));
    t.is(codeOf(body), 'VALIDATION_ERROR');
    t.true(Array.isArray(detailsOf(body)['issues']));
  }
  t.is((await admin.request(`/api/documents/${id}`, { method: 'PUT' })).status, 400, 'no body at all');
  t.deepEqual(await eventsOf(t.context, id), []);
});

test('updates at the same time follow one another: the row is as one of them left it, and each is told', async (t) => {
  const { admin } = t.context;
  const id = await givenDocument(admin);
  for (const name of ['c0', 'c1', 'c2']) await givenLabel(t.context, name);
  const answers = await Promise.all(
    Array.from({ length: 9 }, (_, n) => admin.send('PUT', `/api/documents/${id}`, { title: `turn ${n}`, labels: [`c${n % 3}`] })),
  );
  t.true(answers.every(({ status }) => status === 200));
  const { title, labels } = (await admin.get(`/api/documents/${id}`)).body;
  const last = (await eventsOf(t.context, id)).at(-1);
  t.like(last, { title });
  const n = Number(String(title).split(' ')[1]);
  t.deepEqual(labels, [`c${n % 3}`]);
  t.deepEqual(await admin.find(`title:"turn ${n}"`), [id]);
});

test('who may change only their own gets 403 for what they may read and 404 for what they may not', async (t) => {
  const { admin, database } = t.context;
  await using api = await startApiWithPermissions(database, {
    mine: ['documents.read.own', 'documents.create', 'documents.update.own'],
    reads: ['documents.read', 'documents.create', 'documents.update.own'],
  });
  const of = async (name: string) => {
    await admin.post('/api/auth/register', {
      username: name,
      email: `${name}@example.org`,
      password: 'correct horse battery',
      role: 'editor',
    });
    return new Client(api.url).login(name);
  };
  const [mine, reads] = [await of('mine'), await of('reads')];
  const theirs = await givenDocument(admin);
  t.is((await mine.send('PUT', `/api/documents/${theirs}`, { title: 'x' })).status, 404);
  t.is((await reads.send('PUT', `/api/documents/${theirs}`, { title: 'x' })).status, 403);
  t.is((await mine.send('PUT', `/api/documents/${await givenDocument(mine)}`, { title: 'x' })).status, 200);
  t.is((await admin.send('PUT', '/api/documents/019eb1f0-0000-7000-8000-000000000000', { title: 'x' })).status, 404);
  t.is((await admin.get(`/api/documents/${theirs}`)).body['title'], 'paper');
});
