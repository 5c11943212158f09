import { describeRoutes } from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import { createNotification } from '@sheaf/events/notifications';
import { foldTermStatistics } from '@sheaf/search';
import { ApiClient } from '@sheaf/testkit';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { changedAnswers } from '../../support/changed-answers.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

/** What is asked of each route that counts or lists. */
const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  'get /api/documents': [
    '/api/documents',
    '/api/documents?per_page=1',
    '/api/documents?sort=title&order=asc',
    '/api/documents?status=failed',
    '/api/documents?page=9',
    '/api/documents?has_correspondent=true',
    '/api/documents?has_similar=true',
    '/api/documents?has_similar=false',
    '/api/documents?sort=document_type&has_document_type=false',
    '/api/documents?fields=%7B%22hoard%22:%7B%22contains%22:%22t%22%7D%7D',
  ],
  'get /api/labels': ['/api/labels', '/api/labels?sort=document_count&order=desc'],
  'get /api/correspondents': ['/api/correspondents', '/api/correspondents?sort=document_count&order=desc&q=a'],
  'get /api/document-types': ['/api/document-types', '/api/document-types?sort=document_count&order=desc'],
  'get /api/fields': ['/api/fields', '/api/fields?sort=document_count&order=desc'],
  'get /api/rules': ['/api/rules', '/api/rules?per_page=1'],
  'get /api/sources': ['/api/sources', '/api/sources?sort=name&order=desc', '/api/sources?per_page=1&page=2'],
  'get /api/ocr/queue': ['/api/ocr/queue', '/api/ocr/queue?status=pending', '/api/ocr/queue?status=failed'],
  'get /api/ocr/queue/status': ['/api/ocr/queue/status'],
  'get /api/ingest': ['/api/ingest', '/api/ingest?q=garden', '/api/ingest?state=duplicate', '/api/ingest?sort=path&order=asc&page=2'],
  'get /api/analytics/documents': ['/api/analytics/documents', '/api/analytics/documents?days=1'],
  'get /api/analytics/processing': ['/api/analytics/processing'],
  'get /api/metrics/ocr': ['/api/metrics/ocr', '/api/metrics/ocr?days=2'],
  'get /api/notifications': ['/api/notifications', '/api/notifications?unread_only=true&per_page=1'],
  'get /api/settings': ['/api/settings'],
  'get /api/deliveries': ['/api/deliveries', '/api/deliveries?state=pending', '/api/deliveries?channel=webhook&per_page=1'],
  'get /api/saved-searches': ['/api/saved-searches?with_counts=true', '/api/saved-searches?pinned=true&sort=created_at'],
  'get /api/trash': ['/api/trash', '/api/trash?sort=title&order=asc', '/api/trash?per_page=1&page=2'],
  'get /api/shares': ['/api/shares', '/api/shares?active=true&sort=expires_at', '/api/shares?per_page=1&page=2'],
  'get /api/search': [
    'garden',
    'gardn',
    'treasure',
    'treasre',
    'gard*',
    '-treasure garden',
    'label:paid',
    'label:hidden',
    'from:pirate',
    'type:map',
    'date:1720',
    'date:none',
    'asn:none',
    'note:island',
    'island',
  ].map((q) => `/api/search?q=${encodeURIComponent(q)}&fuzzy=true`),
  'get /api/search/suggest': ['gar', 'tre', 'let', 'hid'].map((q) => `/api/search/suggest?q=${q}`),
};

/** Routes without a parameter in their path whose answers are not about documents, or about nobody else's, or not for who may see their own. */
const OTHERS: readonly string[] = [
  '/api/auth/',
  '/api/users',
  '/api/roles',
  '/api/keys',
  '/api/audit',
  '/api/version',
  '/api/ocr/languages',
  '/api/upload-limits',
  '/api/health/detailed',
  '/api/archive-numbers/next', // one row of folders on a shelf, whoever owns the documents in them
  '/api/hosts',
  '/api/health/storage',
  '/api/backups',
  '/api/imports',
  '/api/analytics/users',
  '/api/analytics/system',
  '/api/metrics/system',
];

/** How a word scores depends on how common it is among all documents, and estimates on the time of day. */
const VOLATILE: ReadonlySet<string> = new Set(['score', 'estimated_completion', 'estimated_start', 'query_time_ms', 'took_ms']);
const plain = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body, (key, value: unknown) => (VOLATILE.has(key) ? value !== null : value)));

/** Bytes that are nobody else's: a copy would be a duplicate. */
const textOf = (words: string) => new TextEncoder().encode(words);

const uploadAs = async (client: ApiClient, title: string, labels: readonly unknown[] = []): Promise<string> => {
  const { status, body } = await client.upload(
    { name: `${title.replaceAll(' ', '-')}.txt`, bytes: textOf(title) },
    labels.length === 0 ? {} : { labels: labels.join(',') },
  );
  if (status !== 201) throw new Error(`upload answered ${status}: ${JSON.stringify(body)}`);
  await client.send('PUT', `/api/documents/${String(body['id'])}`, { title });
  return String(body['id']);
};

const webdavSource = (name: string) => ({ name, type: 'webdav', url: 'https://dav.example.org/files/', sync_interval: 0 });

const endJob = ({ database }: RunningApi, documentId: string, status: 'completed' | 'failed', seconds: number): Promise<unknown> =>
  database.pool.query(
    `with job as (update ocr_jobs set status = $2, started_at = now() - make_interval(secs => $3), completed_at = now() where document_id = $1)
     update documents set status = $2, error_code = case when $2 = 'failed' then 'corrupt' end where id = $1`,
    [documentId, status, seconds],
  );

test('every route that lists or counts is asked', (t) => {
  const { config } = loadConfig({ environment: {} });
  const lists = describeRoutes(config)
    .filter(({ method, path, access }) => method === 'get' && !path.includes('{') && access !== 'anyone' && access !== 'anyone-known')
    .filter(({ path }) => !OTHERS.some((other) => path.startsWith(other)))
    .map(({ method, path }) => `${method} ${path}`);
  const notAsked = lists.filter((name) => !Object.hasOwn(QUESTIONS, name));
  const unknown = Object.keys(QUESTIONS).filter((name) => !lists.includes(name));
  t.deepEqual(notAsked, [], 'add it to QUESTIONS, or to OTHERS if it is not about documents');
  t.deepEqual(unknown, [], 'remove it from QUESTIONS, or from OTHERS');
});

test('no total, facet, count, suggestion or number of the queue changes with documents that one may not read', async (t) => {
  const { admin, database } = t.context;
  for (const username of ['ann-2', 'bob-2'])
    await admin.post('/api/auth/register', {
      username,
      email: `${username}@example.org`,
      password: 'correct horse battery',
      role: 'editor',
    });
  await using api = await startApiWithPermissions(
    database,
    {
      // a new permission to read goes here without `.own`: documents.read.own alone must hide the documents of others
      'ann-2': [
        'documents.read.own',
        'documents.create',
        'documents.update.own',
        'documents.delete.own',
        'documents.share.own',
        'search.*',
        'labels.read.own',
        'labels.create',
        'labels.update.own',
        'ocr.read',
        'ocr.update.own',
        'sources.read.own',
        'sources.create',
        'system.read.own',
        'analytics.read',
      ],
      'bob-2': ['*'],
    },
    [],
    {},
    { CACHE_TTL: '0' },
  ); // what was kept would hide what has changed
  const [ann, bob] = await Promise.all(['ann-2', 'bob-2'].map((name) => new ApiClient(api.url).login(name)));
  if (ann === undefined || bob === undefined) throw new Error('nobody signed in');

  await bob.post('/api/fields', { name: 'hoard', type: 'text' });
  for (const query of ['garden', 'treasure', 'gard*', ''])
    t.is((await ann.post('/api/saved-searches', { name: `mine ${query}`, query, is_pinned: query === 'garden' })).status, 201);
  const { body: paid } = await ann.post('/api/labels', { name: 'paid', color: '#123456' });
  const mine = [
    await uploadAs(ann, 'Letter of the garden', [paid['id']]),
    await uploadAs(ann, 'Letter of the house'),
    await uploadAs(ann, 'Garden'),
  ];
  const { body: bank } = await ann.post('/api/correspondents', { name: 'A bank' });
  const { body: letter } = await ann.post('/api/document-types', { name: 'Letter' });
  const filing = { correspondent_id: bank['id'], document_type_id: letter['id'] };
  t.is((await ann.send('PATCH', `/api/documents/${mine[0]}`, filing)).status, 200);
  await endJob(t.context, mine[1] ?? '', 'completed', 8);
  const { body: source } = await ann.post('/api/sources', webdavSource('mine'));
  const sourceId = String(source['id']);
  await database.pool.query(`update documents set source = 'webdav', source_id = $2 where id = $1`, [mine[2], sourceId]);
  await foldTermStatistics(database.db);

  t.is((await ann.post(`/api/documents/${mine[0]}/shares`, {})).status, 201);

  const tell = async (): Promise<Record<string, unknown>> => {
    const asked: Record<string, unknown> = {};
    for (const path of Object.values(QUESTIONS).flat()) {
      const { status, body } = await ann.get(path);
      t.is(status, 200, `${path}: ${JSON.stringify(body)}`);
      asked[path] = plain(body);
    }
    const advanced = await ann.post('/api/search/advanced', { query: { must: [{ field: 'any', value: 'garden', type: 'match' }] } });
    t.is(advanced.status, 200, JSON.stringify(advanced.body));
    asked['advanced'] = plain(advanced.body);
    asked['label'] = plain((await ann.get(`/api/labels/${String(paid['id'])}`)).body);
    asked['correspondent'] = plain((await ann.get(`/api/correspondents/${String(bank['id'])}`)).body);
    asked['source'] = plain((await ann.get(`/api/sources/${sourceId}`)).body);
    for (const id of mine) asked[id] = plain((await ann.get(`/api/documents/${id}`)).body);
    return asked;
  };
  const before = await tell();
  t.is((before['/api/documents'] as { pagination: { total: number } }).pagination.total, 3);
  t.like(before['source'], { name: 'mine', document_count: 1 });
  t.is((before['/api/ocr/queue/status'] as { pending: number }).pending, 2);

  const { body: hidden } = await bob.post('/api/labels', { name: 'hidden', color: '#654321' });
  t.is((await bob.post('/api/saved-searches', { name: 'theirs', query: 'treasure', is_pinned: true })).status, 201);
  const theirs: string[] = [];
  for (const n of [1, 2, 3, 4, 5, 6]) theirs.push(await uploadAs(bob, `Treasure garden ${n} gardn`, [paid['id'], hidden['id']]));
  t.is((await bob.post(`/api/documents/${mine[0]}/shares`, {})).status, 201);
  await bob.post('/api/correspondents', { name: 'Another bank' });
  await bob.post('/api/document-types', { name: 'Bill' });
  t.is((await bob.post('/api/documents/bulk', { ids: theirs, action: 'set_correspondent', correspondent_id: bank['id'] })).status, 200);
  t.is((await bob.post('/api/documents/bulk', { ids: theirs, action: 'set_document_type', document_type_id: letter['id'] })).status, 200);
  t.is((await bob.send('PATCH', `/api/documents/${theirs[0]}`, { fields: { hoard: 'treasure' } })).status, 200);
  await database.pool.query(
    `with pirate as (insert into correspondents (id, name) values (gen_random_uuid(), 'Pirate') returning id),
       map as (insert into document_types (id, name) values (gen_random_uuid(), 'Map') returning id)
     update documents set document_date = '1720-01-01', correspondent_id = pirate.id, document_type_id = map.id from pirate, map where documents.id = any($1)`,
    [theirs],
  );
  t.is((await bob.post(`/api/documents/${theirs[0]}/notes`, { text: 'Buried on an island' })).status, 201);
  t.is((await bob.send('PATCH', `/api/documents/${theirs[0]}`, { archive_number: 77 })).status, 200);
  await endJob(t.context, theirs[0] ?? '', 'completed', 500);
  await endJob(t.context, theirs[1] ?? '', 'failed', 3);
  t.is((await bob.delete(`/api/documents/${theirs[2]}`)).status, 204);
  t.is((await bob.post('/api/sources', webdavSource('theirs'))).status, 201);
  await database.pool.query(`update documents set source = 'webdav', source_id = $2 where id = $1`, [theirs[5], sourceId]);
  await database.pool.query(
    `update ocr_jobs set status = 'processing', lease_by = 'somebody', lease_until = now() + interval '1 hour', started_at = now() where document_id = $1`,
    [theirs[3]],
  );
  await database.pool.query('update ocr_jobs set priority = 30 where document_id = $1', [theirs[4]]);
  await createNotification(
    database.db,
    { enabled: true, emailTypes: new Set(['security']), webhook: true },
    { userId: String((await bob.get('/api/auth/me')).body['id']), type: 'security', title: 'Treasure', message: 'A garden' },
  );
  t.deepEqual(changedAnswers(before, await tell()), [], 'changed with documents of others, while their words wait to be counted');
  await foldTermStatistics(database.db);
  t.deepEqual(changedAnswers(before, await tell()), [], 'changed with documents of others');
  t.is((await bob.get('/api/documents')).status, 200);
  const seen = (await bob.get('/api/documents')).body['pagination'] as { total: number };
  t.is(seen.total, 8, 'who may read all sees them');
});
