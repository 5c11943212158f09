import { type Answer, ApiClient, givenDocument } from '@sheaf/testkit';
import { MAX_LABEL_LEVELS } from '@sheaf/vocabulary/limits';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

let count = 0;
const unique = (word: string): string => {
  count += 1;
  return `${word} ${count}`;
};

const givenLabel = async (client: ApiClient, word: string, parentId?: string): Promise<{ id: string; name: string }> => {
  const name = unique(word);
  const { status, body } = await client.post('/api/labels', { name, ...(parentId === undefined ? {} : { parent_id: parentId }) });
  if (status !== 201) throw new Error(`making a label answered ${status}`);
  return { id: String(body['id']), name };
};

const move = (client: ApiClient, id: string, parentId: string | null): Promise<Answer> =>
  client.send('PATCH', `/api/labels/${id}`, { parent_id: parentId });
const labelsOf = async (client: ApiClient, id: string): Promise<unknown> => (await client.get(`/api/documents/${id}`)).body['labels'];
const userIdOf = async (client: ApiClient): Promise<string> => String((await client.get('/api/auth/me')).body['id']);
const codeOf = ({ status, body }: Answer): [number, unknown] => [
  status,
  (body['error'] as { details: { reason?: string } }).details.reason,
];

test('a label knows the one above it and the way down to it', async (t) => {
  const { admin } = t.context;
  const taxes = await givenLabel(admin, 'taxes');
  const year = await givenLabel(admin, 'year', taxes.id);
  const { body } = await admin.get(`/api/labels/${year.id}`);
  t.like(body, { parent_id: taxes.id, path: [taxes.name, year.name] });
  t.like((await admin.get(`/api/labels?q=${encodeURIComponent(year.name)}`)).body, {
    labels: [{ id: year.id, parent_id: taxes.id, path: [taxes.name, year.name] }],
  });
  t.like((await admin.get(`/api/labels/${taxes.id}`)).body, { parent_id: null, path: [taxes.name] });
  t.like((await move(admin, year.id, null)).body, { parent_id: null, path: [year.name] });
});

test('a document with a label has those above it, is found and counted under them, and loses a label with those below it', async (t) => {
  const { admin, database } = t.context;
  const ownerId = await userIdOf(admin);
  const taxes = await givenLabel(admin, 'taxes');
  const year = await givenLabel(admin, 'year', taxes.id);
  const { id } = await givenDocument(database.db, { ownerId });
  await admin.send('PUT', `/api/documents/${id}`, { labels: [year.name] });
  t.deepEqual(await labelsOf(admin, id), [taxes.name, year.name]);
  t.like((await admin.get(`/api/documents?label_ids=${taxes.id}`)).body, { data: [{ id }] });
  t.is((await admin.get(`/api/labels/${taxes.id}`)).body['document_count'], 1);
  t.is((await admin.post(`/api/labels/${taxes.id}/unassign`, { document_ids: [id] })).body['unassigned'], 1);
  t.deepEqual(await labelsOf(admin, id), []);
  t.is((await admin.post(`/api/labels/${year.id}/assign`, { document_ids: [id] })).body['assigned'], 1);
  t.deepEqual(await labelsOf(admin, id), [taxes.name, year.name]);
});

test('documents of a label get those above its new place, each with an event, and keep those above its old one', async (t) => {
  const { admin, database } = t.context;
  const ownerId = await userIdOf(admin);
  const [house, taxes, year] = [await givenLabel(admin, 'house'), await givenLabel(admin, 'taxes'), await givenLabel(admin, 'year')];
  const month = await givenLabel(admin, 'month', year.id);
  const { id } = await givenDocument(database.db, { ownerId });
  await admin.send('PUT', `/api/documents/${id}`, { labels: [month.id] });
  t.is((await move(admin, year.id, taxes.id)).status, 200);
  t.deepEqual(await labelsOf(admin, id), [month.name, taxes.name, year.name]);
  t.is((await move(admin, year.id, house.id)).status, 200);
  t.deepEqual(await labelsOf(admin, id), [house.name, month.name, taxes.name, year.name]);
  const { rows } = await database.pool.query<{ data: { changes: unknown } }>(
    "select data from events where document_id = $1 and type = 'document_updated' order by id",
    [id],
  );
  t.deepEqual(rows.at(-1)?.data.changes, { labels: [house.name, month.name, taxes.name, year.name] });
});

test('no label stands below itself, below one of its own, below too many, or below one that is not there', async (t) => {
  const { admin } = t.context;
  const chain = [await givenLabel(admin, 'level')];
  while (chain.length < MAX_LABEL_LEVELS) chain.push(await givenLabel(admin, 'level', chain.at(-1)?.id));
  const [top, last] = [chain[0]?.id ?? '', chain.at(-1)?.id ?? ''];
  t.deepEqual(codeOf(await move(admin, top, top)), [400, 'label_below_itself']);
  t.deepEqual(codeOf(await move(admin, top, last)), [400, 'label_below_itself']);
  t.deepEqual(codeOf(await admin.post('/api/labels', { name: unique('deep'), parent_id: last })), [400, 'too_many_label_levels']);
  const other = await givenLabel(admin, 'other');
  t.deepEqual(codeOf(await move(admin, top, other.id)), [400, 'too_many_label_levels']);
  t.deepEqual(codeOf(await move(admin, top, '00000000-0000-7000-8000-000000000000')), [400, 'unknown_labels']);
});

test('labels below one that is deleted move up, and its documents keep them', async (t) => {
  const { admin, database } = t.context;
  const top = await givenLabel(admin, 'top');
  const middle = await givenLabel(admin, 'middle', top.id);
  const low = await givenLabel(admin, 'low', middle.id);
  const { id } = await givenDocument(database.db, { ownerId: await userIdOf(admin) });
  await admin.send('PUT', `/api/documents/${id}`, { labels: [low.id] });
  t.is((await admin.delete(`/api/labels/${middle.id}`)).status, 204);
  t.like((await admin.get(`/api/labels/${low.id}`)).body, { parent_id: top.id, path: [top.name, low.name] });
  t.deepEqual(await labelsOf(admin, id), [low.name, top.name]);
});

test('labels that are moved below each other at the same time make no circle', async (t) => {
  const { admin } = t.context;
  const [one, other] = [await givenLabel(admin, 'one'), await givenLabel(admin, 'other')];
  const answers = await Promise.all([move(admin, one.id, other.id), move(admin, other.id, one.id)]);
  t.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['200', '400']);
});

test('who may see their own labels alone learns nothing of one above them, and cannot put theirs below it', async (t) => {
  const { admin, database } = t.context;
  const username = `own-labels-${process.pid}`;
  await admin.post('/api/auth/register', { username, email: `${username}@example.org`, password: 'correct horse battery', role: 'editor' });
  await using api = await startApiWithPermissions(database, {
    [username]: ['documents.read.own', 'labels.read.own', 'labels.create', 'labels.update.own'],
  });
  const client = await new ApiClient(api.url).login(username);
  const [foreign, own] = [await givenLabel(admin, 'foreign'), await givenLabel(client, 'own')];
  t.deepEqual(codeOf(await move(client, own.id, foreign.id)), [400, 'unknown_labels']);
  t.is((await move(admin, own.id, foreign.id)).status, 200);
  t.like((await client.get(`/api/labels/${own.id}`)).body, { parent_id: null, path: [own.name] });
});
