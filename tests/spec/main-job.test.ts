// The rows of the specification that the main job touches. A title names its table and row.

import { toAppError } from '@sheaf/api/testing';
import { isDatabaseUnavailable } from '@sheaf/db';
import { ERROR_STATUS } from '@sheaf/vocabulary/error-codes';
import { z } from 'zod';
import { testWithApi } from '../support/running-api.ts';

const test = testWithApi();

const note = (words: string) => ({ name: 'note.txt', bytes: new TextEncoder().encode(words) });
const timestamp = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('Endpoints: POST /api/auth/login answers {token, user: {id, username, email, role}, expires_at}', async (t) => {
  const { status, body } = await t.context.anyone.post('/api/auth/login', { username: 'admin', password: 'correct horse battery' });
  t.is(status, 200);
  const shape = z.strictObject({
    token: z.string(),
    user: z.strictObject({ id: z.uuid(), username: z.literal('admin'), email: z.string(), role: z.literal('admin') }),
    expires_at: timestamp,
    // for the refresh operation, whose shape the specification does not show
    refresh_token: z.string(),
    refresh_expires_at: timestamp,
  });
  t.true(shape.safeParse(body).success);
});

test('Endpoints: POST /api/auth/register takes {username, email, password, role} and answers 201', async (t) => {
  const { status, body } = await t.context.admin.post('/api/auth/register', {
    username: 'vera',
    email: 'vera@example.org',
    password: 'correct horse',
    role: 'viewer',
  });
  t.is(status, 201);
  t.like(body, { username: 'vera', email: 'vera@example.org', role: 'viewer' });
  t.false(JSON.stringify(body).includes('password'));
});

test('Endpoints: POST /api/documents/upload takes a multipart form and answers 201 with the document', async (t) => {
  const { status, body } = await t.context.admin.upload(note('row of the upload'), { title: 'Row', ocr_enabled: 'true', language: 'eng' });
  t.is(status, 201);
  t.true(z.looseObject({ id: z.uuid(), title: z.literal('Row') }).safeParse(body).success);
});

test('Endpoints: GET /api/documents answers {data, pagination}', async (t) => {
  await t.context.admin.upload(note('row of the list'));
  const { status, body } = await t.context.admin.get(
    '/api/documents?page=1&per_page=1&sort=created_at&order=desc&status=pending&date_from=2020-01-01&date_to=2100-01-01T00:00:00Z',
  );
  t.is(status, 200);
  const pagination = z.strictObject({
    page: z.literal(1),
    per_page: z.literal(1),
    total: z.int().min(1),
    total_pages: z.int(),
    has_next: z.boolean(),
    has_prev: z.literal(false),
  });
  t.true(z.strictObject({ data: z.array(z.looseObject({})).length(1), pagination }).safeParse(body).success);
});

test('Endpoints: GET /api/search answers {results, total, facets: {mime_types, labels}}', async (t) => {
  const counts = z.record(z.string(), z.int());
  const { status, body } = await t.context.admin.get('/api/search?q=row&page=1&per_page=5&highlight=true&fuzzy=false&filters=%7B%7D');
  t.is(status, 200);
  t.true(
    z
      .strictObject({
        results: z.array(z.looseObject({})),
        total: z.int(),
        facets: z.looseObject({ mime_types: counts, labels: counts, sources: counts, years: counts, languages: counts }),
      })
      .safeParse(body).success,
  );
  t.is((await t.context.admin.get('/api/search')).status, 400, 'q is required');
});

test('Endpoints: GET /api/ocr/queue/status; OCR queue status: its six fields', async (t) => {
  const { status, body } = await t.context.admin.get('/api/ocr/queue/status');
  t.is(status, 200);
  const count = z.int().min(0);
  t.true(
    z
      .strictObject({
        pending: count,
        processing: count,
        completed_today: count,
        failed: count,
        average_processing_time: z.number(),
        estimated_completion: timestamp.nullable(),
      })
      .safeParse(body).success,
  );
});

test('Endpoints: GET /api/version', async (t) => {
  const { status, body } = await t.context.admin.get('/api/version');
  t.is(status, 200);
  t.like(body, { name: 'Sheaf', api_version: 'v1' });
});

test('Endpoints: GET /api/health; Other shapes: health response', async (t) => {
  const { status, body } = await t.context.anyone.get('/api/health');
  t.is(status, 200);
  const state = z.enum(['healthy', 'warning', 'unhealthy']);
  t.true(
    z
      .looseObject({
        status: state,
        timestamp,
        components: z.strictObject({ database: state, ocr_engine: state, file_storage: state, sources: z.record(z.string(), state) }),
      })
      .safeParse(body).success,
  );
  t.like(body['problems'], { ocr_engine: [{ code: 'no_ocr_worker' }] }, 'the api alone says what is missing');
});

for (const path of ['/health', '/ready', '/metrics', '/status']) {
  test(`Endpoints: GET ${path} answers 200 to anyone`, async (t) => {
    t.is((await t.context.anyone.get(path)).status, 200);
  });
}

test('Monitoring: HEALTH_CHECK_PATH, READY_CHECK_PATH and METRICS_PATH have their defaults, and the metrics are text', async (t) => {
  const response = await t.context.anyone.request('/metrics');
  t.regex(response.headers.get('content-type') ?? '', /^text\/plain; version=/);
  t.regex(await response.text(), /^sheaf_http_requests_total\{/m);
});

const documentFields = {
  id: z.uuid(),
  title: z.string(),
  filename: z.string(),
  content: z.string(),
  status: z.enum(['pending', 'processing', 'completed', 'failed']),
  mime_type: z.string(),
  size: z.int(),
  created_at: timestamp,
  updated_at: timestamp,
  ocr_confidence: z.number().min(0).max(1).nullable(),
  labels: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
};

for (const [field, schema] of Object.entries(documentFields)) {
  test(`Document: ${field}`, async (t) => {
    const { body: made } = await t.context.admin.upload(note(`document field ${field}`));
    const { body } = await t.context.admin.get(`/api/documents/${String(made['id'])}`);
    t.true(schema.safeParse(body[field]).success, JSON.stringify(body[field]));
  });
}

for (const [operation, path] of [
  ['Get document', ''],
  ['Download document', '/download'],
] as const) {
  test(`Operations whose path is not shown: ${operation} answers 200`, async (t) => {
    const { body } = await t.context.admin.upload(note(`operation ${operation}`));
    t.is((await t.context.admin.request(`/api/documents/${String(body['id'])}${path}`)).status, 200);
  });
}

test('Operations whose path is not shown: Delete document answers 204', async (t) => {
  const { body } = await t.context.admin.upload(note('operation delete'));
  t.is((await t.context.admin.delete(`/api/documents/${String(body['id'])}`)).status, 204);
});

test('Operations whose path is not shown: Document thumbnail answers 200 with a picture', async (t) => {
  const { body } = await t.context.admin.upload(note('a picture of these words'));
  const response = await t.context.admin.request(`/api/documents/${String(body['id'])}/thumbnail?width=100&height=100`);
  t.is(response.status, 200);
  t.is(response.headers.get('content-type'), 'image/webp');
  const bytes = Buffer.from(await response.arrayBuffer());
  t.is(bytes.subarray(8, 12).toString('latin1'), 'WEBP');
});

test('Operations whose path is not shown: Retry OCR answers 200', async (t) => {
  const { body } = await t.context.admin.upload(note('operation retry'));
  t.is((await t.context.admin.post(`/api/documents/${String(body['id'])}/retry-ocr`, {})).status, 200);
});

test('Operations whose path is not shown: List OCR queue items takes status and priority and answers 200', async (t) => {
  await t.context.admin.upload(note('operation list queue'));
  const { status, body } = await t.context.admin.get('/api/ocr/queue?status=pending&priority=normal');
  t.is(status, 200);
  t.true((body['data'] as unknown[]).length > 0);
});

test('Operations whose path is not shown: Update queue priority; Cancel OCR job', async (t) => {
  const { admin } = t.context;
  const { body } = await admin.upload(note('operation priority and cancel'));
  const { body: queued } = await admin.post(`/api/documents/${String(body['id'])}/retry-ocr`, { priority: 'low' });
  const path = `/api/ocr/queue/${String(queued['id'])}`;
  const moved = await admin.request(`${path}/priority`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{"priority":"high"}',
  });
  t.is(moved.status, 200);
  t.is((await admin.get(path)).body['priority'], 'high');
  t.is((await admin.delete(path)).status, 204);
  t.like((await admin.get(`/api/documents/${String(body['id'])}`)).body, { status: 'failed', error: { code: 'cancelled' } });
});

test('Operations whose path is not shown: Logout answers 200', async (t) => {
  const client = await t.context.anyone.login('admin');
  t.is((await client.post('/api/auth/logout', {})).status, 200);
});

const STATUSES = {
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  VALIDATION_ERROR: 400,
  DUPLICATE_RESOURCE: 409,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
};

for (const [code, status] of Object.entries(STATUSES)) {
  test(`Errors: ${code} is ${status}`, (t) => {
    t.is((ERROR_STATUS as Record<string, number>)[code], status);
  });
}

test('Errors: a missing document answers 404 with DOCUMENT_NOT_FOUND and its id', async (t) => {
  const { status, body } = await t.context.admin.get('/api/documents/019eb1f0-0000-7000-8000-000000000000');
  t.is(status, 404);
  t.like(body['error'], { code: 'DOCUMENT_NOT_FOUND', details: { document_id: '019eb1f0-0000-7000-8000-000000000000' } });
});

test('Errors: a database that cannot be reached is SERVICE_UNAVAILABLE, an error that nobody knows is INTERNAL_ERROR', (t) => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  t.true(isDatabaseUnavailable(new Error('query failed', { cause: refused })));
  t.is(toAppError(refused).code, 'SERVICE_UNAVAILABLE');
  t.is(toAppError(new Error('x')).code, 'INTERNAL_ERROR');
});
