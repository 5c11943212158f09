import { type Answer, type ApiClient, givenDocument } from '@sheaf/testkit';
import { conditionOf } from '../../support/error-condition.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ FEATURE_API_V2: 'true' });

const idOf = async (client: ApiClient): Promise<string> => String((await client.get('/api/auth/me')).body['id']);
const idsOf = ({ body }: Answer): unknown[] => (body['data'] as Record<string, unknown>[]).map(({ id }) => id);
const codeOf = ({ status, body }: Answer): [number, unknown] => [status, conditionOf(body)];

const given = async (client: ApiClient, path: string, name: string): Promise<string> =>
  String((await client.post(path, { name })).body['id']);

const storedOf = async ({ database }: RunningApi, id: string) => {
  const { rows } = await database.pool.query<{ confirmed: string[]; changes: unknown[] }>(
    `select confirmed_fields as confirmed, array(select data -> 'changes' from events
       where document_id = documents.id and type = 'document_updated' order by id) as changes from documents where id = $1`,
    [id],
  );
  return rows[0];
};

test.serial('what a person sets is confirmed, also where it was so before or is taken away', async (t) => {
  const { admin, database } = t.context;
  const { id } = await givenDocument(database.db, { ownerId: await idOf(admin) });
  const [bank, bill] = [await given(admin, '/api/correspondents', 'Bank'), await given(admin, '/api/document-types', 'Bill')];
  const path = `/api/documents/${id}`;
  t.like((await admin.get(path)).body, { correspondent: null, document_type: null });
  await admin.send('PATCH', path, { title: 'of its own' });
  t.deepEqual((await storedOf(t.context, id))?.confirmed, []);

  // what extraction has found
  await database.pool.query("update documents set correspondent_id = $2, document_date = '2024-01-01' where id = $1", [id, bank]);
  t.like((await admin.send('PATCH', path, { correspondent_id: bank })).body, { correspondent: { id: bank, name: 'Bank' } });
  t.like((await admin.send('PUT', path, { document_type_id: bill, document_date: null })).body, {
    document_type: { id: bill, name: 'Bill' },
    document_date: null,
  });
  await admin.send('PATCH', path, { correspondent_id: null, archive_number: 5 });
  t.deepEqual(await storedOf(t.context, id), {
    confirmed: ['archive_number', 'correspondent', 'document_date', 'document_type'],
    changes: [
      { title: 'of its own' },
      { document_date: null, document_type: { id: bill, name: 'Bill' } },
      { archive_number: 5, correspondent: null },
    ],
  });
});

test.serial('many documents are filed at once, and only those that change say so', async (t) => {
  const { admin, database } = t.context;
  const ownerId = await idOf(admin);
  const shop = await given(admin, '/api/correspondents', 'Shop');
  const [first, second] = [(await givenDocument(database.db, { ownerId })).id, (await givenDocument(database.db, { ownerId })).id];
  await database.pool.query('update documents set correspondent_id = $2 where id = $1', [first, shop]);
  const file = (body: Record<string, unknown>) => admin.post('/api/documents/bulk', { ids: [first, second], ...body });
  t.deepEqual((await file({ action: 'set_correspondent', correspondent_id: shop })).body, { matched: 2, done: 2 });
  t.deepEqual(await storedOf(t.context, first), { confirmed: ['correspondent'], changes: [] });
  t.deepEqual(await storedOf(t.context, second), {
    confirmed: ['correspondent'],
    changes: [{ correspondent: { id: shop, name: 'Shop' } }],
  });
  await admin.post('/api/documents/bulk', { filter: { correspondent_ids: [shop] }, action: 'set_correspondent', correspondent_id: null });
  t.is((await admin.get(`/api/documents/${first}`)).body['correspondent'], null);
  for (const body of [
    { action: 'set_correspondent' },
    { action: 'set_correspondent', document_type_id: shop },
    { action: 'set_document_type', document_type_id: shop },
    { action: 'delete', correspondent_id: shop },
    { action: 'set_correspondent', correspondent_id: 'Shop' },
  ])
    t.deepEqual(codeOf(await file(body)), [400, 'VALIDATION_ERROR'], JSON.stringify(body));
});

test.serial('lists are filtered and sorted by correspondent and type, and what has none stands below', async (t) => {
  const { admin, database } = t.context;
  const ownerId = await idOf(await admin.register('filed-lists', 'editor'));
  const [zoo, apple] = [await given(admin, '/api/correspondents', 'Zoo'), await given(admin, '/api/correspondents', 'äpple')];
  const memo = await given(admin, '/api/document-types', 'Memo');
  const made: string[] = [];
  for (const body of [
    { correspondent_id: zoo, document_type_id: memo },
    { correspondent_id: apple },
    { document_type_id: memo },
    { correspondent_id: zoo },
  ]) {
    const { id } = await givenDocument(database.db, { ownerId });
    made.push(id);
    t.is((await admin.send('PATCH', `/api/documents/${id}`, body)).status, 200);
  }
  const [first, second, third, fourth] = made;
  const list = async (query: string): Promise<unknown[]> => {
    const answer = await admin.get(`/api/documents?owner_id=${ownerId}&order=asc&${query}`);
    t.is((answer.body['pagination'] as { total: number } | undefined)?.total, idsOf(answer).length, query);
    return idsOf(answer);
  };
  t.deepEqual(await list(`correspondent_ids=${zoo}`), [first, fourth]);
  t.deepEqual(await list(`correspondent_ids=${zoo},${apple}&document_type_ids=${memo}`), [first]);
  t.deepEqual(await list('has_correspondent=false'), [third]);
  t.deepEqual(await list('has_document_type=true&has_correspondent=true'), [first]);
  t.deepEqual(await list('sort=correspondent'), [third, second, first, fourth]);
  t.deepEqual(await list('sort=document_type'), [second, fourth, first, third]);
  t.is((await admin.get(`/api/documents?correspondent_ids=${Array.from({ length: 51 }, () => zoo).join(',')}`)).status, 400);
  const { body: all } = await admin.get(`/api/documents?correspondent_ids=${zoo}`);
  t.is((all['pagination'] as { total: number }).total, 2);
  for (const [sort, expected] of [
    ['correspondent', [fourth, first, second, third]],
    ['document_type', [third, first, fourth, second]],
  ] as const) {
    const walked: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const answer = await admin.get(`/api/v2/documents?owner_id=${ownerId}&sort=${sort}&order=desc&limit=1${after}`);
      walked.push(...idsOf(answer));
      cursor = answer.body['next_cursor'] as string | null;
    }
    t.deepEqual(walked, expected, sort);
  }
});
