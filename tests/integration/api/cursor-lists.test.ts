// Lists as version 2 has them: page by page behind a cursor, against the whole list of version 1.

import { uuidv7 } from '@sheaf/process';
import { indexDocument } from '@sheaf/search';
import type { ApiClient } from '@sheaf/testkit';
import { INDEXED_DOCUMENT_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { oneIn } from '../../support/full-run.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ FEATURE_API_V2: 'true' });

const MANY = 23;
const rowsBody = z.array(z.looseObject({ id: z.string().optional(), document_id: z.string().nullish() }));
const cutBody = z.looseObject({ data: rowsBody, next_cursor: z.string().nullable() });

const idsOf = (rows: unknown): string[] => rowsBody.parse(rows).map(({ id, document_id }) => id ?? document_id ?? '');

/** Rows with many ties in all that lists sort by, and with nothing where that may be. */
const fill = async ({ database: { pool } }: RunningApi): Promise<void> => {
  const statements = [
    `insert into sources (id, owner_id, name, type, sync_interval_seconds, created_at, last_sync_at)
      select gen_random_uuid(), u.id, (array['Ä', 'a', 'b'])[1 + i % 3], 'webdav', 0, timestamptz '2026-01-01 10:00:00.123456' + i / 3 * interval '1 microsecond',
        case when i % 2 = 0 then timestamptz '2026-02-01' + i / 4 * interval '1 day' end from users u, generate_series(1, ${MANY}) i`,
    `insert into labels (id, name, color, created_at) select gen_random_uuid(), 'label ' || i, '#808080', timestamptz '2026-01-01' + i / 4 * interval '1 microsecond'
      from generate_series(1, ${MANY}) i`,
    `insert into documents (id, owner_id, title, filename, size_bytes, status, error_code, mime_type, ocr_confidence, source, created_at, updated_at, sha256, file_path, ocr_language)
      select gen_random_uuid(), u.id, (array['Zebra', 'apfel', 'Äpfel', 'bank', 'Bank'])[1 + i % 5], 'scan-' || i % 4 || '.pdf', 1 + i % 6,
        (array['failed', 'completed', 'pending'])[1 + i % 3], case when i % 3 = 0 then 'corrupt' end, (array['image/png', 'application/pdf'])[1 + i % 2],
        case when i % 3 <> 0 then 1 / (1 + i % 5)::real end, 'upload', timestamptz '2026-01-01' + i / 3 * interval '1 microsecond',
        timestamptz '2026-01-01' + i / 2 * interval '1 microsecond', lpad(i::text, 64, '0'), '/nowhere', 'eng' from users u, generate_series(1, ${MANY}) i`,
    ...['correspondents', 'document_types'].map(
      (table) => `insert into ${table} (id, name, created_at) select gen_random_uuid(), 'entry ' || i,
        timestamptz '2026-01-01' + i / 4 * interval '1 microsecond' from generate_series(1, ${MANY}) i`,
    ),
    `update documents set correspondent_id = (select id from correspondents where name = 'entry ' || size_bytes),
      document_type_id = (select id from document_types where name = 'entry ' || size_bytes / 2) where status <> 'failed'`,
    `insert into ocr_jobs (id, document_id, status, priority, max_attempts, due_at, completed_at)
      select gen_random_uuid(), id, case status when 'completed' then 'completed' when 'failed' then 'failed' else 'pending' end, (size_bytes % 2 * 10)::int, 3,
        timestamptz '2026-01-01' + size_bytes / 3 * interval '1 microsecond', case when status <> 'pending' and size_bytes <> 1 then timestamptz '2026-01-01' + size_bytes / 3 * interval '1 day' end
      from documents`,
    `insert into ingest_ledger (id, route, path, owner_id, size_bytes, state, created_at, updated_at)
      select gen_random_uuid(), 'watch', '/in/' || i % 5 || '/' || i, u.id, case when i % 3 <> 0 then i % 4 end, 'waiting',
        timestamptz '2026-01-01' + i / 3 * interval '1 microsecond', timestamptz '2026-01-01' + i / 4 * interval '1 microsecond' from users u, generate_series(1, ${MANY}) i`,
    `insert into audit_log (id, created_at, action, outcome, details) select gen_random_uuid(), timestamptz '2026-01-01' + i / 4 * interval '1 microsecond', 'x.y', 'success', '{}'
      from generate_series(1, ${MANY}) i`,
    `insert into notifications (id, user_id, type, title, message, created_at)
      select gen_random_uuid(), u.id, 'alert', 't', 'm', timestamptz '2026-01-01' + i / 4 * interval '1 microsecond' from users u, generate_series(1, ${MANY}) i`,
    `insert into deliveries (id, channel, payload, state, created_at)
      select gen_random_uuid(), 'webhook', jsonb_build_object('type', 'alert', 'timestamp', '', 'data', jsonb_build_object('user_id', u.id)), 'failed',
        timestamptz '2026-01-01' + i / 4 * interval '1 microsecond' from users u, generate_series(1, ${MANY}) i`,
    `insert into api_keys (id, user_id, name, scope, key_hash, prefix, expires_at, created_at)
      select gen_random_uuid(), u.id, 'key', '{}', 'hash ' || i, 'shf_', now(), timestamptz '2026-01-01' + i / 4 * interval '1 microsecond' from users u, generate_series(1, ${MANY}) i`,
  ];
  for (const statement of statements) await pool.query(statement);
  // last, as every row above stands once for each user
  await pool.query(`insert into users (id, username, email, role, created_at)
    select gen_random_uuid(), 'user' || i, i || '@example.org', (array['viewer', 'editor'])[1 + i % 2], timestamptz '2026-01-01' + i / 4 * interval '1 microsecond'
    from generate_series(1, ${MANY}) i`);
};

let filled: Promise<void> | undefined;
test.beforeEach((t) => (filled ??= fill(t.context)));

/** Everything that a list of version 2 answers, a few rows at a time. */
const walk = async (client: ApiClient, path: string, limit = 4): Promise<string[]> => {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = `${path.includes('?') ? '&' : '?'}limit=${limit}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const { status, body } = await client.get(`/api/v2${path}${query}`);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
    const { data, next_cursor } = cutBody.parse(body);
    if (data.length > limit) throw new Error(`${path} answered ${data.length} rows`);
    ids.push(...idsOf(data));
    cursor = next_cursor;
  }
  return ids;
};

const whole = async (client: ApiClient, path: string, name: string): Promise<string[]> => {
  const { body } = await client.get(`/api${path}${path.includes('?') ? '&' : '?'}per_page=100`);
  return idsOf(body[name]);
};

/** Lists whose two versions have one order; of the others, version 2 has an order that is total in one direction. */
const SAME_ORDER: readonly (readonly [path: string, name: string])[] = [
  ...INDEXED_DOCUMENT_SORT_FIELDS.flatMap((sort) =>
    ['asc', 'desc'].map((order) => [`/documents?sort=${sort}&order=${order}`, 'data'] as const),
  ),
  ['/documents?status=completed&sort=ocr_confidence', 'data'],
  ...['username', 'email', 'role', 'created_at'].map((sort) => [`/users?sort=${sort}&order=desc`, 'data'] as const),
  ...['updated_at', 'created_at', 'path', 'size_bytes', 'state'].flatMap((sort) =>
    ['asc', 'desc'].map((order) => [`/ingest?sort=${sort}&order=${order}`, 'data'] as const),
  ),
  ['/ingest?q=in', 'data'],
  ['/keys', 'data'],
  ['/audit?action=x.y', 'data'],
  ['/deliveries', 'data'],
  ['/ocr/queue', 'data'],
  ['/ocr/queue?status=failed', 'data'],
  ['/labels', 'labels'],
  ['/correspondents', 'data'],
  ['/document-types', 'data'],
  ['/sources?sort=name&order=desc', 'sources'],
  ['/sources?sort=last_sync&order=desc', 'sources'],
  ['/auth/sessions', 'data'],
];

for (const [path, name] of oneIn(4, SAME_ORDER)) {
  test(`${path} has the same rows in the same order behind cursors as on pages`, async (t) => {
    const { admin } = t.context;
    const all = await whole(admin, path, name);
    t.true(all.length > 0);
    t.deepEqual(await walk(admin, path), all);
  });
}

for (const [path, name] of [
  ['/notifications', 'notifications'],
  ['/labels?sort=document_count&order=desc', 'labels'],
  ['/correspondents?sort=document_count&order=desc', 'data'],
  ['/document-types?sort=created_at&order=desc', 'data'],
  ['/labels?sort=created_at&order=desc', 'labels'],
  ['/sources?sort=last_sync&order=asc', 'sources'],
] as const) {
  test(`${path} has each row once behind cursors`, async (t) => {
    const { admin } = t.context;
    t.deepEqual((await walk(admin, path)).toSorted(), (await whole(admin, path, name)).toSorted());
  });
}

const addDocument = ({ database: { pool } }: RunningApi, createdAt: string): Promise<unknown> =>
  pool.query(
    `insert into documents (id, owner_id, title, filename, size_bytes, status, mime_type, source, created_at, sha256, file_path, ocr_language)
     select $1, id, 'later', 'later.txt', 1, 'pending', 'text/plain', 'upload', $2, lpad($3, 64, 'f'), '/nowhere', 'eng' from users where username = 'admin'`,
    [uuidv7(), createdAt, createdAt.replaceAll(/\D/g, '')],
  );

test.serial('rows that come while somebody pages move nothing: none comes twice, none is missed', async (t) => {
  const { admin } = t.context;
  const before = await whole(admin, '/documents', 'data');
  const ids: string[] = [];
  let cursor: string | null = '';
  for (let page = 0; cursor !== null; page += 1) {
    const { body } = await admin.get(`/api/v2/documents?limit=5${cursor === '' ? '' : `&cursor=${cursor}`}`);
    ids.push(...idsOf(body['data']));
    cursor = cutBody.parse(body).next_cursor;
    await addDocument(t.context, `2026-03-01T00:00:0${page}Z`);
  }
  t.deepEqual(ids, before);
});

const refuses = async (t: ExecutionContext<RunningApi>, path: string): Promise<void> => {
  const { status, body } = await t.context.admin.get(path);
  t.is(status, 400, path);
  t.like(body, { error: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'cursor' }] } } }, path);
};

test('a cursor that was changed, made up or belongs to another question is refused', async (t) => {
  const { body } = await t.context.admin.get('/api/v2/documents?limit=3&sort=title');
  const cursor = cutBody.parse(body).next_cursor ?? '';
  const forged = `${Buffer.from('["2026","x"]').toString('base64url')}.${cursor.split('.')[1]}`;
  await refuses(t, `/api/v2/documents?limit=3&sort=title&cursor=${forged}`);
  await refuses(t, `/api/v2/documents?limit=3&sort=filename&cursor=${cursor}`);
  await refuses(t, `/api/v2/documents?limit=3&sort=title&status=failed&cursor=${cursor}`);
  await refuses(t, `/api/v2/labels?cursor=${cursor}`);
  for (const made of ['x', '.', `${cursor}x`, '%00']) await refuses(t, `/api/v2/documents?limit=3&sort=title&cursor=${made}`);
  t.is(
    (await t.context.admin.get(`/api/v2/documents?limit=7&sort=title&cursor=${cursor}`)).status,
    200,
    'another limit is the same question',
  );
});

test('a list of version 2 takes no page, and one of version 1 no cursor', async (t) => {
  const { admin } = t.context;
  t.is((await admin.get('/api/v2/documents?page=2')).status, 400);
  t.is((await admin.get('/api/documents?cursor=x')).status, 400);
  t.is((await admin.get('/api/v2/documents?limit=101')).status, 400);
});

/** A document that is found by its title. */
const addFound = async ({ admin, database: { db } }: RunningApi, name: string): Promise<void> => {
  const { body } = await admin.upload({ name, bytes: new TextEncoder().encode(name) });
  await indexDocument(db, String(body['id']));
};

test.serial('a search goes on where it was, whatever came meanwhile', async (t) => {
  const { admin } = t.context;
  for (let i = 0; i < 7; i += 1) await addFound(t.context, `letter ${i}.txt`);
  const first = await admin.get('/api/v2/search?q=letter&limit=3');
  t.like(first.body, { total: 7 });
  t.truthy(first.body['facets']);
  const cursor = cutBody.parse(first.body).next_cursor ?? '';
  await addFound(t.context, 'letter letter.txt');
  const second = cutBody.parse((await admin.get(`/api/v2/search?q=letter&limit=3&cursor=${cursor}`)).body);
  const third = cutBody.parse((await admin.get(`/api/v2/search?q=letter&limit=3&cursor=${second.next_cursor ?? ''}`)).body);
  t.is(third.next_cursor, null);
  const ids = [...idsOf(first.body['data']), ...idsOf(second.data), ...idsOf(third.data)];
  t.is(ids.length, 7);
  t.is(new Set(ids).size, 7);
  const advanced = (body: object) =>
    admin.post('/api/v2/search/advanced', { query: { must: [{ field: 'title', value: 'letter' }] }, limit: 5, ...body });
  const { next_cursor } = cutBody.parse((await advanced({})).body);
  t.is(cutBody.parse((await advanced({ cursor: next_cursor })).body).data.length, 3);
  t.is((await advanced({ cursor: next_cursor, limit: 4 })).status, 400);
});
