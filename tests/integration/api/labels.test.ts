import { uuidv7 } from '@sheaf/process';
import { type Answer, ApiClient, givenDocument } from '@sheaf/testkit';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { conditionOf } from '../../support/error-condition.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

let count = 0;
const unique = (): string => {
  count += 1;
  return `label ${count} of ${process.pid}`;
};

const codeOf = ({ status, body }: Answer): [number, unknown] => [status, conditionOf(body)];
const detailsOf = ({ body }: Answer) => (body['error'] as { details: Record<string, unknown> }).details;

const givenLabel = async (client: ApiClient, fields: Record<string, unknown> = {}): Promise<string> => {
  const { status, body } = await client.post('/api/labels', { name: unique(), ...fields });
  if (status !== 201) throw new Error(`making a label answered ${status}`);
  return String(body['id']);
};

const userIdOf = async (client: ApiClient): Promise<string> => String((await client.get('/api/auth/me')).body['id']);

const givenDocuments = async ({ database }: RunningApi, ownerId: string, n: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let i = 0; i < n; i += 1) ids.push((await givenDocument(database.db, { ownerId })).id);
  return ids;
};

const changesOf = async ({ database }: RunningApi, id: string): Promise<unknown[]> =>
  (
    await database.pool.query<{ data: { changes: unknown } }>(
      "select data from events where document_id = $1 and type = 'document_updated' order by id",
      [id],
    )
  ).rows.map(({ data }) => data.changes);

const countOf = async (client: ApiClient, id: string): Promise<unknown> => (await client.get(`/api/labels/${id}`)).body['document_count'];

test('a label is made, read, changed and deleted', async (t) => {
  const { admin } = t.context;
  const name = unique();
  const made = await admin.post('/api/labels', { name: `  ${name} `, color: '#00FF7f', description: 'of the year' });
  t.is(made.status, 201);
  const { id, created_at: createdAt } = made.body;
  const label = {
    id,
    name,
    color: '#00FF7f',
    description: 'of the year',
    parent_id: null,
    path: [name],
    document_count: 0,
    created_by: 'admin',
    created_at: createdAt,
  };
  t.deepEqual(made.body, label);
  t.deepEqual((await admin.get(`/api/labels/${String(id)}`)).body, label);
  const put = await admin.send('PUT', `/api/labels/${String(id)}`, { color: '#123456' });
  t.deepEqual([put.status, put.body], [200, { ...label, color: '#123456' }]);
  const patch = await admin.send('PATCH', `/api/labels/${String(id)}`, { name: `${name}!`, description: '' });
  t.deepEqual([patch.status, patch.body], [200, { ...label, color: '#123456', name: `${name}!`, path: [`${name}!`], description: '' }]);
  t.is((await admin.send('PUT', `/api/labels/${String(id)}`, {})).status, 200);
  t.is((await admin.delete(`/api/labels/${String(id)}`)).status, 204);
  t.deepEqual(codeOf(await admin.get(`/api/labels/${String(id)}`)), [404, 'LABEL_NOT_FOUND']);
  t.deepEqual(codeOf(await admin.delete(`/api/labels/${String(id)}`)), [404, 'LABEL_NOT_FOUND']);
  t.deepEqual(codeOf(await admin.send('PUT', `/api/labels/${String(id)}`, {})), [404, 'LABEL_NOT_FOUND']);
});

test('a colour and a description may be left out', async (t) => {
  const { body } = await t.context.admin.post('/api/labels', { name: unique() });
  t.deepEqual([body['color'], body['description']], ['#808080', '']);
});

const BAD: Readonly<Record<string, Record<string, unknown>>> = {
  'no name': { color: '#000000' },
  'an empty name': { name: '' },
  'a name of blanks': { name: '   ' },
  'a name of 101 characters': { name: 'x'.repeat(101) },
  'a name with NUL': { name: 'a\0b' },
  'a name with a line break': { name: 'a\nb' },
  'a name that is no text': { name: 7 },
  'a colour of three digits': { name: 'x', color: '#fff' },
  'a colour without #': { name: 'x', color: '808080' },
  'a colour with other letters': { name: 'x', color: '#80808g' },
  'a description of 1,001 characters': { name: 'x', description: 'x'.repeat(1_001) },
  'a description with NUL': { name: 'x', description: '\0' },
  'an unknown field': { name: 'x', owner: 'me' },
};
for (const [what, body] of Object.entries(BAD))
  test(`a label with ${what} is refused`, async (t) => {
    t.deepEqual(codeOf(await t.context.admin.post('/api/labels', body)), [400, 'VALIDATION_ERROR']);
    if ('name' in body && what !== 'an unknown field') {
      const id = await givenLabel(t.context.admin);
      t.is((await t.context.admin.send('PUT', `/api/labels/${id}`, body)).status, 400);
    }
  });

test('a name of 100 characters is taken, each counted once', async (t) => {
  const name = `${'🗎'.repeat(99)}${String.fromCodePoint(0x1f600 + (process.pid % 50))}`;
  t.is((await t.context.admin.post('/api/labels', { name })).body['name'], name);
});

test('a name is taken once, the case of letters aside', async (t) => {
  const { admin } = t.context;
  const name = `Ärger ${unique()}`;
  const id = await givenLabel(admin, { name });
  const again = await admin.post('/api/labels', { name: name.toUpperCase() });
  t.deepEqual(codeOf(again), [409, 'DUPLICATE_RESOURCE']);
  t.is(detailsOf(again)['label_id'], id);
  const other = await givenLabel(admin);
  const renamed = await admin.send('PUT', `/api/labels/${other}`, { name: name.toLowerCase() });
  t.deepEqual(codeOf(renamed), [409, 'DUPLICATE_RESOURCE']);
  t.is(detailsOf(renamed)['label_id'], id);
  t.is((await admin.send('PUT', `/api/labels/${id}`, { name: name.toUpperCase() })).status, 200);
});

test('of labels of one name that are made at once there is one', async (t) => {
  const name = unique();
  const answers = await Promise.all(Array.from({ length: 6 }, () => t.context.admin.post('/api/labels', { name })));
  t.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 409, 409, 409, 409, 409],
  );
});

test('labels are listed by name, count or age, a page at a time, with those whose name has a text in it', async (t) => {
  const { admin } = t.context;
  const mark = `Order${process.pid}%`;
  const ids: Record<string, string> = {};
  for (const name of ['Zebra', 'apple', 'Äpfel', 'Bank']) ids[name] = await givenLabel(admin, { name: `${name} ${mark}` });
  const documents = await givenDocuments(t.context, await userIdOf(admin), 3);
  await admin.post(`/api/labels/${ids['Zebra']}/assign`, { document_ids: documents });
  await admin.post(`/api/labels/${ids['Bank']}/assign`, { document_ids: documents.slice(1, 2) });
  const list = async (query: Record<string, string>) => {
    const { status, body } = await admin.get(`/api/labels?${new URLSearchParams({ q: mark.toLowerCase(), ...query }).toString()}`);
    t.is(status, 200);
    const labels = body['labels'] as { name: string; document_count: number }[];
    return { names: labels.map(({ name }) => name.split(' ')[0]), counts: labels.map((label) => label.document_count), body };
  };
  t.deepEqual((await list({})).names, ['Äpfel', 'apple', 'Bank', 'Zebra']);
  t.deepEqual((await list({ order: 'desc' })).names, ['Zebra', 'Bank', 'apple', 'Äpfel']);
  const byCount = await list({ sort: 'document_count', order: 'desc' });
  t.deepEqual(
    [byCount.names, byCount.counts],
    [
      ['Zebra', 'Bank', 'Äpfel', 'apple'],
      [3, 1, 0, 0],
    ],
  );
  t.deepEqual((await list({ sort: 'created_at' })).names, ['Zebra', 'apple', 'Äpfel', 'Bank']);
  const page = await list({ page: '2', per_page: '3' });
  t.deepEqual(page.names, ['Zebra']);
  t.deepEqual(page.body['pagination'], { page: 2, per_page: 3, total: 4, total_pages: 2, has_next: false, has_prev: true });
  t.deepEqual((await list({ q: '_' })).names, []);
});

for (const query of ['per_page=0', 'page=0', 'page=x', 'sort=nothing', 'order=up', 'colour=1', 'q=%00', `q=${'x'.repeat(101)}`])
  test(`a list of labels with ${query.slice(0, 20)} is refused`, async (t) => {
    t.deepEqual(codeOf(await t.context.admin.get(`/api/labels?${query}`)), [400, 'VALIDATION_ERROR']);
  });

test('a label is put on documents and taken off, and says so for those that it changes', async (t) => {
  const { admin } = t.context;
  const name = unique();
  const id = await givenLabel(admin, { name });
  const [a = '', b = '', c = ''] = await givenDocuments(t.context, await userIdOf(admin), 3);
  t.deepEqual((await admin.post(`/api/labels/${id}/assign`, { document_ids: [a, b, b.toUpperCase()] })).body, { assigned: 2 });
  t.deepEqual((await admin.post(`/api/labels/${id}/assign`, { document_ids: [b, c] })).body, { assigned: 1 });
  t.is(await countOf(admin, id), 3);
  t.deepEqual((await admin.get(`/api/documents/${a}`)).body['labels'], [name]);
  t.deepEqual((await admin.post(`/api/labels/${id}/unassign`, { document_ids: [a, b] })).body, { unassigned: 2 });
  t.deepEqual((await admin.post(`/api/labels/${id}/unassign`, { document_ids: [a] })).body, { unassigned: 0 });
  t.is(await countOf(admin, id), 1);
  t.deepEqual(await changesOf(t.context, b), [{ labels: [name] }, { labels: [] }]);
  t.deepEqual(await changesOf(t.context, c), [{ labels: [name] }]);
});

test('renaming and deleting a label leave its documents in place and tell of them', async (t) => {
  const { admin } = t.context;
  const [name, other] = [unique(), unique()];
  const [id, second] = [await givenLabel(admin, { name }), await givenLabel(admin, { name: other })];
  const [document = ''] = await givenDocuments(t.context, await userIdOf(admin), 1);
  for (const label of [id, second]) await admin.post(`/api/labels/${label}/assign`, { document_ids: [document] });
  await admin.send('PUT', `/api/labels/${id}`, { color: '#000000' });
  await admin.send('PUT', `/api/labels/${id}`, { name: `${name} new` });
  t.is((await admin.delete(`/api/labels/${id}`)).status, 204);
  t.deepEqual((await admin.get(`/api/documents/${document}`)).body['labels'], [other]);
  const sorted = (await changesOf(t.context, document)).map((change) => (change as { labels: string[] }).labels.toSorted());
  t.deepEqual(sorted, [[name], [name, other].toSorted(), [`${name} new`, other].toSorted(), [other]]);
});

test('a document that is not there refuses the whole request and is named', async (t) => {
  const { admin } = t.context;
  const id = await givenLabel(admin);
  const [there = ''] = await givenDocuments(t.context, await userIdOf(admin), 1);
  const [gone, alsoGone] = [uuidv7(), uuidv7()];
  const answer = await admin.post(`/api/labels/${id}/assign`, { document_ids: [gone, there, alsoGone] });
  t.deepEqual(codeOf(answer), [404, 'DOCUMENT_NOT_FOUND']);
  t.deepEqual(detailsOf(answer)['document_ids'], [gone, alsoGone]);
  t.is(await countOf(admin, id), 0);
  t.deepEqual(codeOf(await admin.post(`/api/labels/${uuidv7()}/assign`, { document_ids: [there] })), [404, 'LABEL_NOT_FOUND']);
});

test('one to a thousand documents are taken', async (t) => {
  const { admin } = t.context;
  const id = await givenLabel(admin);
  for (const ids of [[], Array.from({ length: 1_001 }, () => uuidv7()), ['no uuid']])
    for (const verb of ['assign', 'unassign'])
      t.deepEqual(codeOf(await admin.post(`/api/labels/${id}/${verb}`, { document_ids: ids })), [400, 'VALIDATION_ERROR']);
  const documents = await givenDocuments(t.context, await userIdOf(admin), 1_000);
  t.deepEqual((await admin.post(`/api/labels/${id}/assign`, { document_ids: documents })).body, { assigned: 1_000 });
  t.is(await countOf(admin, id), 1_000);
});

test('a label that is deleted while it is put on documents ends on none of them, without a failure', async (t) => {
  const { admin } = t.context;
  const documents = await givenDocuments(t.context, await userIdOf(admin), 20);
  for (let round = 0; round < 8; round += 1) {
    const id = await givenLabel(admin);
    await admin.post(`/api/labels/${id}/assign`, { document_ids: documents.slice(0, 10) });
    const answers = await Promise.all([
      admin.post(`/api/labels/${id}/assign`, { document_ids: documents }),
      admin.delete(`/api/labels/${id}`),
      admin.post(`/api/labels/${id}/unassign`, { document_ids: documents.slice(5) }),
      admin.post(`/api/labels/${id}/assign`, { document_ids: documents.toReversed() }),
    ]);
    for (const { status } of answers) t.true([200, 204, 404].includes(status), String(status));
    t.is(answers[1]?.status, 204);
  }
});

test('labels and their counts reach no further than the permissions', async (t) => {
  const { admin, anyone, database } = t.context;
  const names = ['ann', 'ben'] as const;
  for (const name of names)
    await admin.post('/api/auth/register', {
      username: `${name}-l`,
      email: `${name}-l@example.org`,
      password: 'correct horse battery',
      role: 'editor',
    });
  await using api = await startApiWithPermissions(database, {
    'ann-l': ['documents.read', 'documents.update.own', 'labels.*'],
    'ben-l': ['documents.read.own', 'documents.update', 'labels.read', 'labels.create', 'labels.update.own', 'labels.delete.own'],
  });
  const other = new ApiClient(api.url);
  const [ann, ben] = [await other.login('ann-l'), await other.login('ben-l')];
  const [ofAnn = '', alsoOfAnn = ''] = await givenDocuments(t.context, await userIdOf(await anyone.login('ann-l')), 2);
  const [ofBen = ''] = await givenDocuments(t.context, await userIdOf(await anyone.login('ben-l')), 1);
  const shared = await givenLabel(ann);
  t.is((await ann.post(`/api/labels/${shared}/assign`, { document_ids: [ofAnn, alsoOfAnn] })).status, 200);
  t.is((await admin.post(`/api/labels/${shared}/assign`, { document_ids: [ofBen] })).status, 200);
  t.deepEqual([await countOf(ann, shared), await countOf(ben, shared)], [3, 1]);
  const listed = (await ben.get('/api/labels?per_page=100&sort=document_count&order=desc')).body['labels'] as {
    id: string;
    document_count: number;
  }[];
  t.deepEqual(
    listed.filter(({ document_count: n }) => n > 0).map((label) => [label.id, label.document_count]),
    [[shared, 1]],
  );

  // readable and not theirs to change; not readable at all
  t.deepEqual(codeOf(await ann.post(`/api/labels/${shared}/unassign`, { document_ids: [ofAnn, ofBen] })), [403, 'FORBIDDEN']);
  t.is(await countOf(ann, shared), 3);
  const mine = await givenLabel(ben);
  t.deepEqual(codeOf(await ben.post(`/api/labels/${mine}/assign`, { document_ids: [ofBen, ofAnn] })), [404, 'DOCUMENT_NOT_FOUND']);
  t.deepEqual((await ben.post(`/api/labels/${mine}/assign`, { document_ids: [ofBen] })).body, { assigned: 1 });

  // labels of others
  t.deepEqual(codeOf(await ben.post(`/api/labels/${shared}/assign`, { document_ids: [ofBen] })), [403, 'FORBIDDEN']);
  t.deepEqual(codeOf(await ben.send('PUT', `/api/labels/${shared}`, { color: '#000000' })), [403, 'FORBIDDEN']);
  t.deepEqual(codeOf(await ben.delete(`/api/labels/${shared}`)), [403, 'FORBIDDEN']);
  t.is((await ben.delete(`/api/labels/${mine}`)).status, 204);
});

test('who may read only their own labels learns of no others', async (t) => {
  const { admin, database } = t.context;
  await admin.post('/api/auth/register', {
    username: 'cyd-l',
    email: 'cyd-l@example.org',
    password: 'correct horse battery',
    role: 'editor',
  });
  await using api = await startApiWithPermissions(database, {
    'cyd-l': ['labels.read.own', 'labels.create', 'labels.update', 'labels.delete', 'documents.*'],
  });
  const cyd = await new ApiClient(api.url).login('cyd-l');
  const foreign = await givenLabel(admin);
  const mine = await givenLabel(cyd);
  const { body } = await cyd.get('/api/labels');
  t.deepEqual(
    (body['labels'] as { id: string }[]).map(({ id }) => id),
    [mine],
  );
  t.is((body['pagination'] as { total: number }).total, 1);
  for (const answer of [
    await cyd.get(`/api/labels/${foreign}`),
    await cyd.delete(`/api/labels/${foreign}`),
    await cyd.send('PUT', `/api/labels/${foreign}`, {}),
  ])
    t.deepEqual(codeOf(answer), [404, 'LABEL_NOT_FOUND']);
});

test('a label outlives who made it', async (t) => {
  const { admin, anyone, database } = t.context;
  await admin.post('/api/auth/register', {
    username: 'dan-l',
    email: 'dan-l@example.org',
    password: 'correct horse battery',
    role: 'editor',
  });
  const id = await givenLabel(await anyone.login('dan-l'));
  t.is((await admin.get(`/api/labels/${id}`)).body['created_by'], 'dan-l');
  await database.pool.query("delete from users where username = 'dan-l'");
  t.is((await admin.get(`/api/labels/${id}`)).body['created_by'], null);
});
