import { type Answer, ApiClient, givenDocument } from '@sheaf/testkit';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { conditionOf } from '../../support/error-condition.ts';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ FEATURE_API_V2: 'true' });

const codeOf = ({ status, body }: Answer): [number, unknown] => [status, conditionOf(body)];
const idOf = async (client: ApiClient): Promise<string> => String((await client.get('/api/auth/me')).body['id']);
const idsOf = ({ body }: Answer): unknown[] => (body['data'] as Record<string, unknown>[]).map(({ id }) => id);

test.serial('a document gets a date and an archive number, each change is an event, and null takes them away', async (t) => {
  const { admin, database } = t.context;
  const { id } = await givenDocument(database.db, { ownerId: await idOf(admin) });
  t.like((await admin.get(`/api/documents/${id}`)).body, { document_date: null, archive_number: null });
  const path = `/api/documents/${id}`;
  t.like((await admin.send('PATCH', path, { document_date: '2024-02-29', archive_number: 7 })).body, {
    document_date: '2024-02-29',
    archive_number: 7,
  });
  t.is((await admin.send('PATCH', path, { document_date: '2024-02-29' })).status, 200);
  t.like((await admin.send('PATCH', path, { archive_number: null })).body, { document_date: '2024-02-29', archive_number: null });
  const { rows } = await database.pool.query<{ data: { changes: unknown } }>(
    "select data from events where document_id = $1 and type = 'document_updated' order by id",
    [id],
  );
  t.deepEqual(
    rows.map(({ data }) => data.changes),
    [{ document_date: '2024-02-29', archive_number: 7 }, { archive_number: null }],
  );
});

test.serial('what is no day, or no number of an archive, is refused', async (t) => {
  const { admin, database } = t.context;
  const { id } = await givenDocument(database.db, { ownerId: await idOf(admin) });
  for (const body of [
    { document_date: '2023-02-29' },
    { document_date: '24-01-01' },
    { document_date: '0000-01-01' },
    { archive_number: 0 },
    { archive_number: 1.5 },
    { archive_number: 2_147_483_648 },
    { archive_number: '7' },
  ])
    t.deepEqual(codeOf(await admin.send('PATCH', `/api/documents/${id}`, body)), [400, 'VALIDATION_ERROR'], JSON.stringify(body));
});

test.serial('nobody gives a number that a document has which they may read, and the next one is offered', async (t) => {
  const { admin, database } = t.context;
  const other = await admin.register('archive-owner', 'editor');
  const { id } = await givenDocument(database.db, { ownerId: await idOf(admin) });
  const { id: theirs } = await givenDocument(database.db, { ownerId: await idOf(other) });
  await admin.send('PATCH', `/api/documents/${id}`, { archive_number: 41 });
  t.is((await other.get('/api/archive-numbers/next')).body['archive_number'], 42);
  t.deepEqual(codeOf(await other.send('PATCH', `/api/documents/${theirs}`, { archive_number: 41 })), [409, 'ARCHIVE_NUMBER_TAKEN']);
  const race = await Promise.all([id, theirs].map((one) => admin.send('PATCH', `/api/documents/${one}`, { archive_number: 42 })));
  t.deepEqual(
    race.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409],
  );
});

test.serial('archive numbers of documents that a user may not read tell nothing: not by the next one, nor by a conflict', async (t) => {
  const { admin, database } = t.context;
  const owen = await admin.register('archive-owen', 'editor');
  const owenId = await idOf(owen);
  const { id: hidden } = await givenDocument(database.db, { ownerId: await idOf(admin) });
  const own = [await givenDocument(database.db, { ownerId: owenId }), await givenDocument(database.db, { ownerId: owenId })];
  await admin.send('PATCH', `/api/documents/${hidden}`, { archive_number: 777 });
  await using api = await startApiWithPermissions(database, { 'archive-owen': ['documents.read.own', 'documents.update.own'] });
  const limited = await new ApiClient(api.url).login('archive-owen');
  t.is((await limited.get('/api/archive-numbers/next')).body['archive_number'], 1);
  const given = await limited.send('PATCH', `/api/documents/${own[0]?.id ?? ''}`, { archive_number: 777 });
  t.deepEqual([given.status, given.body['archive_number']], [200, 777]);
  t.is((await limited.get('/api/archive-numbers/next')).body['archive_number'], 778);
  const twice = await limited.send('PATCH', `/api/documents/${own[1]?.id ?? ''}`, { archive_number: 777 });
  t.deepEqual(codeOf(twice), [409, 'ARCHIVE_NUMBER_TAKEN']);

  const receiver = await idOf(admin);
  const moved = await admin.send('DELETE', `/api/users/${owenId}?transfer_to=${receiver}`, undefined);
  t.deepEqual(codeOf(moved), [409, 'ARCHIVE_NUMBER_TAKEN'], 'no number is dropped by a transfer');
  t.like((moved.body['error'] as { details: object }).details, { archive_number: 777 });
});

test.serial('lists are filtered and sorted by the date and the number, and what has none stands below', async (t) => {
  const { admin, database } = t.context;
  const owner = await admin.register('filing-lists', 'editor');
  const ownerId = await idOf(owner);
  const made: string[] = [];
  for (const [day, number] of [
    ['2023-12-31', 901],
    ['2024-01-01', null],
    [null, 902],
    ['2024-12-31', 903],
  ] as const) {
    const { id } = await givenDocument(database.db, { ownerId });
    made.push(id);
    await admin.send('PATCH', `/api/documents/${id}`, { document_date: day, archive_number: number });
  }
  const [first, second, third, fourth] = made;
  const list = async (query: string): Promise<unknown[]> => idsOf(await admin.get(`/api/documents?owner_id=${ownerId}&${query}`));
  t.deepEqual(await list('sort=document_date&order=asc&document_date_from=2024-01-01&document_date_to=2024-12-31'), [second, fourth]);
  t.deepEqual(await list('sort=document_date&order=asc'), [third, first, second, fourth]);
  t.deepEqual(await list('sort=document_date&order=desc'), [fourth, second, first, third]);
  t.deepEqual(await list('sort=archive_number&order=asc'), [second, first, third, fourth]);
  t.deepEqual(await list('archive_number=902'), [third]);
  const walked: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await admin.get(
      `/api/v2/documents?owner_id=${ownerId}&sort=document_date&order=desc&limit=1${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    if (body['data'] === undefined) throw new Error(JSON.stringify(body));
    walked.push(...(body['data'] as Record<string, unknown>[]).map(({ id }) => id));
    cursor = body['next_cursor'] as string | null;
  }
  t.deepEqual(walked, [fourth, second, first, third]);
});
