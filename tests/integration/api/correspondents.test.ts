import { eq } from '@sheaf/db/drizzle';
import { documentFacts } from '@sheaf/db/schema';
import { uuidv7 } from '@sheaf/process';
import { type Answer, ApiClient, givenDocument } from '@sheaf/testkit';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { conditionOf } from '../../support/error-condition.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ FEATURE_API_V2: 'true' });

/** What both kinds of entries have in common. */
const KINDS = [
  {
    path: '/api/correspondents',
    field: 'correspondent',
    notFound: 'CORRESPONDENT_NOT_FOUND',
    empty: { aliases: [], ibans: [], vat_ids: [], domains: [] },
  },
  { path: '/api/document-types', field: 'document_type', notFound: 'DOCUMENT_TYPE_NOT_FOUND', empty: {} },
] as const;

let count = 0;
const unique = (): string => {
  count += 1;
  return `entry ${count} of ${process.pid}`;
};

const codeOf = ({ status, body }: Answer): [number, unknown] => [status, conditionOf(body)];
const detailsOf = ({ body }: Answer) => (body['error'] as { details: Record<string, unknown> }).details;
const userIdOf = async (client: ApiClient): Promise<string> => String((await client.get('/api/auth/me')).body['id']);
const namesOf = ({ body }: Answer): string[] => (body['data'] as { name: string }[]).map(({ name }) => name);

const givenEntry = async (client: ApiClient, path: string, fields: Record<string, unknown> = {}): Promise<string> => {
  const { status, body } = await client.post(path, { name: unique(), ...fields });
  if (status !== 201) throw new Error(`making an entry answered ${status}: ${JSON.stringify(body)}`);
  return String(body['id']);
};

const givenFiled = async ({ admin, database }: RunningApi, field: string, entry: string, ownerId: string, n: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let i = 0; i < n; i += 1) ids.push((await givenDocument(database.db, { ownerId })).id);
  const { status } = await admin.post('/api/documents/bulk', { ids, action: `set_${field}`, [`${field}_id`]: entry });
  if (status !== 200) throw new Error(`filing answered ${status}`);
  return ids;
};

const lastChange = async ({ database }: RunningApi, id: string): Promise<unknown> =>
  (
    await database.pool.query<{ data: { changes: unknown } }>(
      "select data from events where document_id = $1 and type = 'document_updated' order by id desc limit 1",
      [id],
    )
  ).rows[0]?.data.changes;

for (const { path, field, notFound, empty } of KINDS) {
  test(`${path}: an entry is made, read, changed and deleted, and the log keeps its name`, async (t) => {
    const { admin } = t.context;
    const name = unique();
    const made = await admin.post(path, { name: `  ${name} ` });
    t.is(made.status, 201);
    const { id, created_at: createdAt } = made.body;
    const entry = { id, name, ...empty, document_count: 0, created_by: 'admin', created_at: createdAt };
    t.deepEqual(made.body, entry);
    const one = `${path}/${String(id)}`;
    t.deepEqual((await admin.get(one)).body, entry);
    t.deepEqual((await admin.send('PUT', one, { name: `${name}!` })).body, { ...entry, name: `${name}!` });
    t.deepEqual((await admin.send('PATCH', one, {})).body, { ...entry, name: `${name}!` });
    t.is((await admin.delete(one)).status, 204);
    const { body: log } = await admin.get(`/api/audit?action=${field}.deleted`);
    t.true((log['data'] as { details: unknown }[]).some(({ details }) => JSON.stringify(details) === JSON.stringify({ name: `${name}!` })));
    for (const answer of [await admin.get(one), await admin.delete(one), await admin.send('PUT', one, {})])
      t.deepEqual(codeOf(answer), [404, notFound]);
  });

  test(`${path}: a name is taken once, the case of letters aside, also by those made at once`, async (t) => {
    const { admin } = t.context;
    const name = `Ärger ${unique()}`;
    const answers = await Promise.all([name, name.toUpperCase(), name.toLowerCase()].map((one) => admin.post(path, { name: one })));
    t.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 409, 409],
    );
    const id = String(answers.find(({ status }) => status === 201)?.body['id']);
    const renamed = await admin.send('PATCH', `${path}/${await givenEntry(admin, path)}`, { name: name.toUpperCase() });
    t.deepEqual(codeOf(renamed), [409, 'DUPLICATE_RESOURCE']);
    t.like(detailsOf(renamed), { reason: `${field}_exists`, [`${field}_id`]: id });
    t.is((await admin.send('PATCH', `${path}/${id}`, { name: name.toUpperCase() })).status, 200);
  });

  test(`${path}: entries are listed by name, count or age, by page and by cursor`, async (t) => {
    const { admin } = t.context;
    const mark = `Order${process.pid}%`;
    const ids: Record<string, string> = {};
    for (const name of ['Zebra', 'apple', 'Äpfel', 'Bank']) ids[name] = await givenEntry(admin, path, { name: `${name} ${mark}` });
    const me = await userIdOf(admin);
    await givenFiled(t.context, field, ids['Zebra'] ?? '', me, 2);
    await givenFiled(t.context, field, ids['Bank'] ?? '', me, 1);
    const list = async (query: string): Promise<string[]> =>
      namesOf(await admin.get(`${path}?q=${encodeURIComponent(mark.toLowerCase())}${query}`)).map((name) => name.split(' ')[0] ?? '');
    t.deepEqual(await list(''), ['Äpfel', 'apple', 'Bank', 'Zebra']);
    t.deepEqual((await list('&sort=document_count&order=desc')).slice(0, 2), ['Zebra', 'Bank']);
    t.deepEqual(await list('&sort=created_at&page=2&per_page=3'), ['Bank']);
    for (const sort of ['name', 'document_count', 'created_at']) {
      const walked: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const answer = await admin.get(`/api/v2${path.slice(4)}?q=${encodeURIComponent(mark)}&sort=${sort}&limit=1${after}`);
        walked.push(...namesOf(answer));
        cursor = answer.body['next_cursor'] as string | null;
      }
      t.deepEqual(new Set(walked).size, 4, sort);
    }
  });

  test(`${path}: documents tell of a new name, of a merger and of a deletion, and remain`, async (t) => {
    const { admin } = t.context;
    const me = await userIdOf(admin);
    const [first, second] = [await givenEntry(admin, path), await givenEntry(admin, path, { name: `${unique()} kept` })];
    const [document = ''] = await givenFiled(t.context, field, first, me, 1);
    await givenFiled(t.context, field, second, me, 1);
    const name = unique();
    t.is((await admin.send('PUT', `${path}/${first}`, { name })).status, 200);
    t.deepEqual(await lastChange(t.context, document), { [field]: { id: first, name } });
    t.deepEqual((await admin.get(`/api/documents/${document}`)).body[field], { id: first, name });

    t.deepEqual(codeOf(await admin.post(`${path}/${first}/merge`, { into: first })), [400, 'VALIDATION_ERROR']);
    t.deepEqual(codeOf(await admin.post(`${path}/${first}/merge`, { into: uuidv7() })), [404, notFound]);
    t.deepEqual(codeOf(await admin.post(`${path}/${uuidv7()}/merge`, { into: first })), [404, notFound]);
    const merged = await admin.post(`${path}/${first}/merge`, { into: second });
    t.is(merged.status, 200);
    t.like(merged.body, { id: second, document_count: 2, ...(field === 'correspondent' ? { aliases: [name] } : {}) });
    t.deepEqual(codeOf(await admin.get(`${path}/${first}`)), [404, notFound]);
    t.deepEqual(await lastChange(t.context, document), { [field]: { id: second, name: merged.body['name'] } });
    const { body: log } = await admin.get(`/api/audit?action=${field}.merged`);
    t.true((log['data'] as { details: { into: string } }[]).some(({ details }) => details.into === second));

    t.is((await admin.delete(`${path}/${second}`)).status, 204);
    t.deepEqual(await lastChange(t.context, document), { [field]: null });
    t.is((await admin.get(`/api/documents/${document}`)).body[field], null);
  });

  test(`${path}: what is deleted, renamed and merged while documents are filed under it ends without a failure`, async (t) => {
    const { admin } = t.context;
    const me = await userIdOf(admin);
    for (let round = 0; round < 6; round += 1) {
      const [first, second] = [await givenEntry(admin, path), await givenEntry(admin, path)];
      const ids = await givenFiled(t.context, field, first, me, 6);
      const file = (entry: string, these: readonly string[]) =>
        admin.post('/api/documents/bulk', { ids: these, action: `set_${field}`, [`${field}_id`]: entry });
      const answers = await Promise.all([
        admin.send('PATCH', `${path}/${first}`, { name: unique() }),
        file(second, ids.slice(2)),
        admin.post(`${path}/${first}/merge`, { into: second }),
        admin.post(`${path}/${second}/merge`, { into: first }),
        file(first, ids.toReversed()),
        admin.send('PATCH', `/api/documents/${ids[0]}`, { [`${field}_id`]: second, title: unique() }),
        admin.delete(`${path}/${round % 2 === 0 ? first : second}`),
      ]);
      for (const { status, body } of answers) t.true([200, 204, 400, 404].includes(status), JSON.stringify(body));
    }
    const { rows } = await t.context.database.pool.query(
      `select from documents left join ${field}s as entries on entries.id = ${field}_id where ${field}_key is distinct from entries.name`,
    );
    t.is(rows.length, 0, 'documents sort by the names as they are');
  });

  test(`${path}: entries and their counts reach no further than the permissions`, async (t) => {
    const { admin, database } = t.context;
    const names = ['ann', 'ben', 'cyd'].map((name) => `${name}-${field.slice(0, 3)}`);
    const [annId = '', benId = ''] = await Promise.all(names.map(async (name) => userIdOf(await admin.register(name, 'editor'))));
    const [annName = '', benName = '', cydName = ''] = names;
    await using api = await startApiWithPermissions(database, {
      [annName]: ['documents.read', 'documents.update', 'labels.*'],
      [benName]: [
        'documents.read.own',
        'documents.update.own',
        'labels.read.own',
        'labels.create',
        'labels.update.own',
        'labels.delete.own',
      ],
      [cydName]: ['documents.read', 'documents.update'],
    });
    const [ann, ben, cyd] = await Promise.all(names.map((name) => new ApiClient(api.url).login(name)));
    if (ann === undefined || ben === undefined || cyd === undefined) throw new Error('nobody signed in');
    const name = unique();
    const foreign = await givenEntry(ann, path, { name });
    await givenFiled(t.context, field, foreign, annId, 2);
    const [ofBen = ''] = await givenFiled(t.context, field, foreign, benId, 1);
    t.is((await ann.get(`${path}/${foreign}`)).body['document_count'], 3);

    // a name that only others have is free, and theirs do not exist
    const mine = await givenEntry(ben, path, { name });
    t.deepEqual(namesOf(await ben.get(path)), [name]);
    t.is(((await ben.get(path)).body['pagination'] as { total: number }).total, 1);
    for (const answer of [
      await ben.get(`${path}/${foreign}`),
      await ben.delete(`${path}/${foreign}`),
      await ben.send('PUT', `${path}/${foreign}`, { name: 'x' }),
      await ben.post(`${path}/${mine}/merge`, { into: foreign }),
      await ben.post(`${path}/${foreign}/merge`, { into: mine }),
    ])
      t.deepEqual(codeOf(answer), [404, notFound]);

    // what a document has is a part of it; what it has not is unknown
    const [other = ''] = await givenFiled(t.context, field, mine, benId, 1);
    t.is((await ben.send('PATCH', `/api/documents/${ofBen}`, { [`${field}_id`]: foreign })).status, 200);
    const unknown = await ben.send('PATCH', `/api/documents/${other}`, { [`${field}_id`]: foreign });
    t.deepEqual(codeOf(unknown), [400, 'VALIDATION_ERROR']);
    t.is(detailsOf(unknown)['reason'], `unknown_${field}`);
    const bulk = await ben.post('/api/documents/bulk', { ids: [other], action: `set_${field}`, [`${field}_id`]: foreign });
    t.deepEqual(codeOf(bulk), [400, 'VALIDATION_ERROR']);
    t.deepEqual(codeOf(await cyd.send('PATCH', `/api/documents/${other}`, { [`${field}_id`]: foreign })), [403, 'FORBIDDEN']);
    t.is((await cyd.send('PATCH', `/api/documents/${other}`, { [`${field}_id`]: null })).status, 200);
    t.is((await ben.get(`${path}/${mine}`)).body['document_count'], 0);
  });
}

test('who may not change the other one merges nothing', async (t) => {
  const { admin, database } = t.context;
  await admin.register('dan-merge', 'editor');
  await using api = await startApiWithPermissions(database, {
    'dan-merge': ['labels.read', 'labels.create', 'labels.update', 'labels.delete.own'],
  });
  const dan = await new ApiClient(api.url).login('dan-merge');
  const [mine, theirs] = [await givenEntry(dan, '/api/correspondents'), await givenEntry(admin, '/api/correspondents')];
  t.deepEqual(codeOf(await dan.post(`/api/correspondents/${theirs}/merge`, { into: mine })), [403, 'FORBIDDEN']);
  t.is((await dan.post(`/api/correspondents/${mine}/merge`, { into: theirs })).status, 200);
});

test('what is known of a correspondent is kept in one form, replaced as a list, and united by a merger', async (t) => {
  const { admin } = t.context;
  const [name, other] = [unique(), unique()];
  const { body } = await admin.post('/api/correspondents', {
    name,
    aliases: ['Works', 'Works'],
    ibans: ['de02 1203 0000 0000 2020 51'],
    vat_ids: ['de 123.456.789'],
    domains: ['Works.Example'],
  });
  t.like(body, { aliases: ['Works'], ibans: ['DE02120300000000202051'], vat_ids: ['DE123456789'], domains: ['works.example'] });
  const kept = await givenEntry(admin, '/api/correspondents', { name: other, aliases: ['WORKS', 'Older'], domains: ['other.example'] });
  t.deepEqual((await admin.send('PATCH', `/api/correspondents/${kept}`, { domains: ['new.example'] })).body['aliases'], ['WORKS', 'Older']);
  t.like((await admin.post(`/api/correspondents/${String(body['id'])}/merge`, { into: kept })).body, {
    name: other,
    aliases: ['WORKS', 'Older', name],
    ibans: ['DE02120300000000202051'],
    vat_ids: ['DE123456789'],
    domains: ['new.example', 'works.example'],
  });
});

test('what documents state of a sender is about the correspondent that it is merged into', async (t) => {
  const { admin, database } = t.context;
  const [gone, kept] = [await givenEntry(admin, '/api/correspondents'), await givenEntry(admin, '/api/correspondents')];
  const { id } = await givenDocument(database.db, { ownerId: await userIdOf(admin) });
  await database.db.insert(documentFacts).values({
    id: uuidv7(),
    documentId: id,
    kind: 'sender',
    value: 'Works',
    confidence: 1,
    rule: 'sender.name',
    rank: 0,
    correspondentId: gone,
  });
  t.is((await admin.post(`/api/correspondents/${gone}/merge`, { into: kept })).status, 200);
  const facts = await database.db.select().from(documentFacts).where(eq(documentFacts.documentId, id));
  t.deepEqual(
    facts.map(({ correspondentId }) => correspondentId),
    [kept],
  );
});

const BAD: Readonly<Record<string, Record<string, unknown>>> = {
  'no name': {},
  'an empty name': { name: ' ' },
  'a name of 201 characters': { name: 'x'.repeat(201) },
  'a name with a line break': { name: 'a\nb' },
  'what is no IBAN': { name: 'x', ibans: ['DE1'] },
  'what is no VAT ID': { name: 'x', vat_ids: ['Ä'] },
  'what is no domain': { name: 'x', domains: ['https://example.org/'] },
  '101 aliases': { name: 'x', aliases: Array.from({ length: 101 }, (_, n) => `a${n}`) },
  'an unknown field': { name: 'x', color: '#000000' },
};
for (const [what, body] of Object.entries(BAD))
  test(`a correspondent with ${what} is refused`, async (t) => {
    t.deepEqual(codeOf(await t.context.admin.post('/api/correspondents', body)), [400, 'VALIDATION_ERROR']);
  });

test('an entry outlives who made it', async (t) => {
  const { admin, database } = t.context;
  const id = await givenEntry(await admin.register('eve-gone', 'editor'), '/api/document-types');
  t.is((await admin.get(`/api/document-types/${id}`)).body['created_by'], 'eve-gone');
  await database.pool.query("delete from users where username = 'eve-gone'");
  t.is((await admin.get(`/api/document-types/${id}`)).body['created_by'], null);
});
