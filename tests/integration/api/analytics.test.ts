import { uuidv7 } from '@sheaf/process';
import { ApiClient, givenDocument, givenUser } from '@sheaf/testkit';
import test from 'ava';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { fullOnly } from '../../support/full-run.ts';
import { type RunningApi, startApi } from '../../support/running-api.ts';

const ENDPOINTS = [
  '/api/analytics/documents',
  '/api/analytics/processing',
  '/api/analytics/users',
  '/api/analytics/system',
  '/api/metrics/system',
  '/api/metrics/ocr',
];

type Numbers = Record<string, number>;
const DAY_MS = 86_400_000;
const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** A document of `ownerId` whose reading ended so some days ago. */
const givenRead = async (
  { database: { db, pool } }: Pick<RunningApi, 'database'>,
  ownerId: string,
  ended: { readonly days: number; readonly seconds: number; readonly error?: string; readonly language?: string; readonly pages?: number },
): Promise<string> => {
  const { days, seconds, error = null, language = 'eng', pages = 1 } = ended;
  const { id } = await givenDocument(db, { ownerId, ocrLanguage: language, sizeBytes: 1_000 });
  const status = error === null ? 'completed' : 'failed';
  await pool.query(
    `update documents set status = $2, error_code = $3, page_count = $4, created_at = now() - make_interval(days => $5),
      completed_at = case when $3::text is null then now() - make_interval(days => $5) end where id = $1`,
    [id, status, error, pages, days],
  );
  await pool.query(
    `insert into ocr_jobs (id, document_id, status, max_attempts, completed_at, spent_ms, error_code)
     values ($1, $2, $3, 3, now() - make_interval(days => $4), $5, $6)`,
    [uuidv7(), id, status, days, seconds * 1_000, error],
  );
  return id;
};

const adminId = async ({ admin }: Pick<RunningApi, 'admin'>): Promise<string> => String((await admin.get('/api/auth/me')).body['id']);

test('the figures are those of the documents, day by day', async (t) => {
  const api = await startApi({ CACHE_TTL: '0' });
  try {
    const { admin, database } = api;
    const owner = await adminId(api);
    await givenRead(api, owner, { days: 0, seconds: 2, language: 'eng+deu', pages: 3 });
    await givenRead(api, owner, { days: 3, seconds: 4, pages: 2 });
    const failed = await givenRead(api, owner, { days: 3, seconds: 9, error: 'corrupt' });
    await givenRead(api, owner, { days: 40, seconds: 100, language: 'fra' });
    await givenDocument(database.db, { ownerId: owner, mimeType: 'text/plain', sizeBytes: 500, source: 'watch' });
    const label = await admin.post('/api/labels', { name: 'paid', color: '#112233' });
    await admin.post(`/api/labels/${String(label.body['id'])}/assign`, { document_ids: [failed] });

    const { status, body } = await admin.get('/api/analytics/documents?days=7');
    t.is(status, 200, JSON.stringify(body));
    t.like(body, {
      total: 5,
      by_status: { pending: 1, processing: 0, completed: 3, failed: 1 },
      by_mime_type: { 'application/pdf': 4, 'text/plain': 1 },
      by_label: { paid: 1 },
      by_source: { upload: 4, watch: 1 },
      storage_bytes: 4_500,
    });
    const days = body['uploads_per_day'] as { date: string; count: number }[];
    t.is(days.length, 7);
    t.deepEqual(
      days.filter(({ count }) => count > 0),
      [
        { date: dayBefore(3), count: 2 },
        { date: dayBefore(0), count: 2 },
      ],
    );

    const ocr = (await admin.get('/api/metrics/ocr')).body;
    t.like(ocr, { total_processed: 3, success_rate: 2 / 3, average_processing_time: 5, languages_used: { eng: 2, deu: 1 } });
    const stats = ocr['daily_stats'] as Record<string, unknown>[];
    t.is(stats.length, 30);
    t.deepEqual(stats.at(-4), { date: dayBefore(3), processed: 2, failed: 1, average_processing_time: 6.5, pages: 2 });
    t.deepEqual(stats.at(-1), { date: dayBefore(0), processed: 1, failed: 0, average_processing_time: 2, pages: 3 });
    t.deepEqual(stats.at(-2), { date: dayBefore(1), processed: 0, failed: 0, average_processing_time: 0, pages: 0 });
    const asked = (await admin.get(`/api/metrics/ocr?from=${dayBefore(45)}&to=${dayBefore(10)}`)).body;
    t.like(asked, { total_processed: 1, success_rate: 1, average_processing_time: 100, languages_used: { fra: 1 } });

    // one was processed twice today, and its job is in another state by now
    await database.pool.query(
      `insert into events (type, owner_id, data) select 'ocr_progress', $1, '{"status": "completed", "progress": 100}' from generate_series(1, 2)`,
      [owner],
    );
    const processing = (await admin.get('/api/analytics/processing')).body;
    t.like(processing, { total_processed: 3, failures_by_reason: { corrupt: 1 } });
    t.like(processing['queue'], { pending: 1, processing: 0, completed_today: 2, failed: 1 });
    const { estimated_completion: _, ...queue } = processing['queue'] as Record<string, unknown>;
    t.like((await admin.get('/api/ocr/queue/status')).body, queue);
    for (const query of ['days=0', 'days=367', 'days=x', 'from=yesterday', 'since=2026-01-01', 'days=3&from=2026-01-01', 'from=0000-01-01'])
      t.is((await admin.get(`/api/metrics/ocr?${query}`)).status, 400, query);
  } finally {
    await api.stop();
  }
});

test('documents count by the year that they bear, by correspondent and by type, within the reach of who asks', async (t) => {
  const api = await startApi({ CACHE_TTL: '0' });
  try {
    const { admin, database } = api;
    const owner = await adminId(api);
    const id = async (path: string, name: string): Promise<string> => String((await admin.post(path, { name })).body['id']);
    const shops = [];
    for (let n = 0; n < 12; n += 1) shops.push(await id('/api/correspondents', `Shop ${String(n).padStart(2, '0')}`));
    const invoice = await id('/api/document-types', 'Invoice');
    const give = async (ownerId: string, fields: Partial<Parameters<typeof givenDocument>[1]>): Promise<void> =>
      void (await givenDocument(database.db, { ownerId, ...fields }));
    for (const correspondentId of shops) await give(owner, { correspondentId, documentDate: '2024-12-31' });
    await give(owner, { correspondentId: shops[11], documentTypeId: invoice, documentDate: '2026-01-01' });
    await give(owner, {});
    await admin.register('ann', 'editor');
    await using scoped = await startApiWithPermissions(database, { ann: ['documents.read.own', 'analytics.read'] });
    const ann = await new ApiClient(scoped.url).login('ann');
    await give(String((await ann.get('/api/auth/me')).body['id']), { correspondentId: shops[11], documentDate: '1999-05-05' });

    const { body } = await admin.get('/api/analytics/documents');
    t.deepEqual(body['by_document_year'], { '1999': 1, '2024': 12, '2026': 1 });
    t.deepEqual(body['by_document_type'], { Invoice: 1 });
    const correspondents = body['by_correspondent'] as Numbers;
    t.deepEqual(Object.entries(correspondents).slice(0, 2), [
      ['Shop 11', 3],
      ['Shop 00', 1],
    ]);
    t.is(Object.keys(correspondents).length, 10);
    const own = (await ann.get('/api/analytics/documents')).body;
    t.like(own, { by_document_year: { '1999': 1 }, by_correspondent: { 'Shop 11': 1 }, by_document_type: {} });
    t.is(Object.keys(own['by_document_year'] as Numbers).length, 1);
  } finally {
    await api.stop();
  }
});

test('figures about users tell who is there, who was active and who has the most', async (t) => {
  const api = await startApi({ CACHE_TTL: '0' });
  try {
    const { admin, database } = api;
    const { db, pool } = database;
    const owner = await adminId(api);
    const [byKey, byAudit, longAgo] = [await givenUser(db), await givenUser(db), await givenUser(db, { role: 'editor' })];
    await pool.query(
      `insert into api_keys (id, user_id, name, scope, key_hash, prefix, expires_at, last_used_at)
       values ($1, $2, 'k', '{}', 'h', 'p', now() + interval '1 day', now() - interval '2 days')`,
      [uuidv7(), byKey.id],
    );
    const signedIn = `insert into audit_log (id, actor_id, action, outcome, created_at) values ($1, $2, 'sign_in', $3, now() - make_interval(days => $4))`;
    await pool.query(signedIn, [uuidv7(), byAudit.id, 'success', 20]);
    await pool.query(signedIn, [uuidv7(), longAgo.id, 'success', 31]);
    await pool.query(signedIn, [uuidv7(), longAgo.id, 'failure', 1]);
    await givenRead(api, owner, { days: 0, seconds: 1 });
    for (const n of [1, 2]) await givenRead(api, longAgo.id, { days: n, seconds: 1 });
    t.deepEqual((await admin.get('/api/analytics/users')).body, {
      total: 4,
      active_day: 1,
      active_week: 2,
      active_month: 3,
      by_role: { admin: 1, editor: 1, viewer: 2 },
      top_uploaders: [
        { user_id: longAgo.id, username: longAgo.username, documents: 2, bytes: 2_000 },
        { user_id: owner, username: 'admin', documents: 1, bytes: 1_000 },
      ],
    });
  } finally {
    await api.stop();
  }
});

test('the machine and the processes are told in percent, with who fell silent', async (t) => {
  const api = await startApi();
  try {
    const { admin, database } = api;
    const process = (name: string, seconds: number) =>
      database.pool.query(
        `insert into processes (id, name, pid, host, version, config_hash, probe_port, status, memory_bytes, started_at, seen_at)
         values ($1, $2, 17, 'h', '1.0.0', 'c', 9110, 'healthy', 1024, now() - interval '1 hour', now() - make_interval(secs => $3))`,
        [uuidv7(), name, seconds],
      );
    await process('watcher', 1);
    await process('sync', 30);
    await process('ocr-worker', 600);
    const { status, body } = await admin.get('/api/analytics/system');
    t.is(status, 200, JSON.stringify(body));
    const { processes, ...metrics } = body;
    const told = (processes as Record<string, unknown>[]).map(({ name, status: state }) => `${String(name)} ${String(state)}`);
    t.deepEqual(told.toSorted(), ['sync warning', 'watcher healthy']);
    t.like((processes as object[])[0], { pid: 17, version: '1.0.0', probe_port: 9110, memory_bytes: 1024 });
    t.deepEqual(Object.keys(metrics).toSorted(), Object.keys((await admin.get('/api/metrics/system')).body).toSorted());
    for (const name of ['cpu_usage', 'memory_usage', 'disk_usage'])
      t.true(Number(metrics[name]) >= 0 && Number(metrics[name]) <= 100, name);
    t.true(Number(metrics['memory_usage']) > 0 && Number(metrics['disk_usage']) > 0);
    t.true(Number(metrics['active_connections']) >= 1, 'this request has one');
    t.true(Number.isInteger(metrics['uptime_seconds']));
  } finally {
    await api.stop();
  }
});

test('what is kept in memory of one user is told to no other, and a picture to nobody who may not see it', async (t) => {
  const api = await startApi();
  try {
    const { admin, database } = api;
    for (const name of ['ann', 'ben'])
      await admin.post('/api/auth/register', {
        username: name,
        email: `${name}@example.org`,
        password: 'correct horse battery',
        role: 'editor',
      });
    const own = ['documents.read.own', 'documents.create', 'analytics.read'];
    await using scoped = await startApiWithPermissions(database, {
      ann: own,
      ben: ['documents.read', 'analytics.read.own', 'users.read.own'],
    });
    const [ann, ben, all] = await Promise.all(['ann', 'ben', 'admin'].map((name) => new ApiClient(scoped.url).login(name)));
    if (ann === undefined || ben === undefined || all === undefined) throw new Error('nobody signed in');
    const text = new TextEncoder().encode('kept in memory');
    const { body: document } = await ann.upload({ name: 'note.txt', bytes: text });
    const picture = `/api/documents/${String(document['id'])}/thumbnail?width=20`;
    for (const round of ['first', 'again']) {
      const totals = await Promise.all([all, ann, ben].map(async (who) => (await who.get('/api/analytics/documents')).body['total']));
      t.deepEqual(totals, [1, 1, 0], round);
      t.is((await ann.request(picture)).status, 200, round);
      t.is((await all.request(picture)).status, 200, round);
    }
    await database.pool.query(`update documents set owner_id = (select id from users where username = 'ben')`);
    t.is((await ann.request(picture)).status, 404, 'it is in the cache, and not hers any more');
    t.is((await ben.request(picture)).status, 200);
    for (const path of ['/api/analytics/system', '/api/metrics/system', '/api/analytics/users'])
      t.is((await ben.get(path)).status, 403, path);
    t.is((await ann.get('/api/metrics/system')).status, 200);
  } finally {
    await api.stop();
  }
});

/** How often the cache was asked in vain, and not, by area. */
const lookups = async ({ anyone }: Pick<RunningApi, 'anyone'>): Promise<Numbers> => {
  const text = await (await anyone.request('/metrics')).text();
  const lines = text.matchAll(/^sheaf_cache_(hits|misses)_total\{cache="(\w+)".*\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, kind, area, count]) => [`${String(area)} ${String(kind)}`, Number(count)]));
};

const askTwice = async (api: RunningApi): Promise<readonly unknown[]> => {
  const totals: unknown[] = [];
  for (const name of ['a', 'b']) {
    const { body } = await api.admin.upload({ name: `${name}.txt`, bytes: new TextEncoder().encode(name) });
    totals.push((await api.admin.get('/api/analytics/documents')).body['total']);
    for (const _ of [1, 2]) t200((await api.admin.request(`/api/documents/${String(body['id'])}/thumbnail`)).status);
  }
  return totals;
};

const t200 = (status: number): void => {
  if (status !== 200) throw new Error(`the thumbnail answered ${status}`);
};

fullOnly(test)('what was asked for is kept in memory, as far as CACHE_SIZE_MB and CACHE_TTL allow', async (t) => {
  for (const environment of [{}, { CACHE_SIZE_MB: '0' }, { CACHE_TTL: '0' }]) {
    const api = await startApi(environment);
    try {
      const isKept = Object.keys(environment).length === 0;
      t.deepEqual(await askTwice(api), isKept ? [1, 1] : [1, 2], JSON.stringify(environment));
      t.deepEqual(
        await lookups(api),
        isKept ? { 'analytics misses': 1, 'analytics hits': 1, 'thumbnails misses': 2, 'thumbnails hits': 2 } : {},
      );
    } finally {
      await api.stop();
    }
  }
});

test('FEATURE_ANALYTICS=false: each endpoint says so to those whom it would let in', async (t) => {
  const { admin, anyone, stop } = await startApi({ FEATURE_ANALYTICS: 'false' });
  try {
    for (const path of ENDPOINTS) {
      const { status, body } = await admin.get(path);
      t.is(status, 404);
      t.like(body['error'], { code: 'NOT_FOUND', details: { reason: 'feature_disabled', variable: 'FEATURE_ANALYTICS' } }, path);
      t.is((await anyone.get(path)).status, 401);
    }
  } finally {
    await stop();
  }
});
