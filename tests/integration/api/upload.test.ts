import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { conditionOf } from '../../support/error-condition.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = testWithApi({ MAX_FILE_SIZE_MB: '2', ALLOWED_FILE_TYPES: 'pdf,txt,png' });

const text = (words: string) => ({ name: 'note.txt', bytes: new TextEncoder().encode(words) });
const codeOf = (body: Record<string, unknown>) => conditionOf(body);
const detailsOf = (body: Record<string, unknown>) => (body['error'] as { details: Record<string, unknown> }).details;

test('an upload answers with the document, its bytes stored under their hash, and a job queued', async (t) => {
  const { admin, database, storedFiles } = t.context;
  const file = text('a first note about nothing');
  const { status, body } = await admin.upload(file, { title: 'First note', ocr_enabled: 'false', language: 'deu+eng' });
  t.is(status, 201);
  const sha256 = createHash('sha256').update(file.bytes).digest('hex');
  t.like(body, {
    title: 'First note',
    filename: 'note.txt',
    status: 'pending',
    mime_type: 'text/plain',
    size: 26,
    sha256,
    source: 'upload',
    ocr_language: 'deu+eng',
  });
  t.true((await storedFiles()).some((path) => path.endsWith(`/documents/${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`)));
  const { rows } = await database.pool.query('select status from ocr_jobs where document_id = $1', [body['id']]);
  t.deepEqual(rows, [{ status: 'pending' }]);
});

test('the title is the file name without its extension where none is given', async (t) => {
  const { body } = await t.context.admin.upload({ name: 'Größe – Rechnung №5.txt', bytes: new TextEncoder().encode('size') });
  t.is(body['title'], 'Größe – Rechnung №5');
  t.is(body['filename'], 'Größe – Rechnung №5.txt');
});

test('the same content again answers 409 with the document that is there', async (t) => {
  const file = text('said twice');
  const first = await t.context.admin.upload(file);
  const second = await t.context.admin.upload({ ...file, name: 'other.txt' });
  t.is(second.status, 409);
  t.is(codeOf(second.body), 'DUPLICATE_RESOURCE');
  t.is(detailsOf(second.body)['document_id'], first.body['id']);
});

test('of several uploads of the same content at once one becomes the document', async (t) => {
  const file = text('said by many at once');
  const answers = await Promise.all(Array.from({ length: 6 }, () => t.context.admin.upload(file)));
  t.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 409, 409, 409, 409, 409],
  );
});

test.serial(
  'what is empty, too large, of a type that is not allowed or not what its name says is refused and leaves nothing',
  async (t) => {
    const before = (await t.context.storedFiles()).length;
    for (const [name, bytes, reason] of [
      ['empty.txt', new Uint8Array(), 'empty'],
      ['large.txt', new TextEncoder().encode('a'.repeat(2 * 1024 * 1024 + 1)), 'too_large'],
      ['letter.docx', new TextEncoder().encode('PK'), 'type_not_allowed'],
      ['program.exe', new TextEncoder().encode('MZ'), 'unknown_type'],
      ['noextension', new TextEncoder().encode('text'), 'unknown_type'],
      ['picture.pdf', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]), 'type_mismatch'],
    ] as const) {
      const { status, body } = await t.context.admin.upload({ name, bytes });
      t.is(status, 400, name);
      t.is(codeOf(body), 'VALIDATION_ERROR', name);
      t.is(detailsOf(body)['reason'], reason, name);
    }
    t.is((await t.context.storedFiles()).length, before);
  },
);

const BOUNDARY = 'x-boundary-x';

/** A form as raw bytes, so that its order and its mistakes are ours. */
const send = async ({ admin }: RunningApi, parts: readonly string[], end = `--${BOUNDARY}--\r\n`) => {
  const response = await admin.request('/api/documents/upload', {
    method: 'POST',
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: parts.map((part) => `--${BOUNDARY}\r\nContent-Disposition: form-data; ${part}\r\n`).join('') + end,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const filePart = (content: string, name = 'file') => `name="${name}"; filename="form.txt"\r\nContent-Type: text/plain\r\n\r\n${content}`;
const field = (name: string, value: string) => `name="${name}"\r\n\r\n${value}`;

test('fields count whether they stand before or behind the file', async (t) => {
  t.is((await send(t.context, [field('title', 'Before'), filePart('before it')])).body['title'], 'Before');
  t.is((await send(t.context, [filePart('behind it'), field('title', 'Behind')])).body['title'], 'Behind');
});

test('a form that is wrong in any way answers 400', async (t) => {
  for (const [what, parts] of [
    ['no file', [field('title', 'x')]],
    ['the file in another field', [filePart('x', 'document')]],
    ['two files', [filePart('x1'), filePart('x2')]],
    ['an unknown field', [filePart('x3'), field('owner_id', 'me')]],
    ['a field twice', [filePart('x4'), field('title', 'a'), field('title', 'b')]],
    ['a label that is no id', [filePart('x5'), field('labels', 'urgent')]],
    ['a label that does not exist', [filePart('x6'), field('labels', '019eb1f0-0000-7000-8000-000000000000')]],
    ['a language that is none', [filePart('x7'), field('language', '../../etc')]],
    ['a boolean that is none', [filePart('x8'), field('ocr_enabled', 'perhaps')]],
    ['an enormous field', [filePart('x9'), field('title', 'y'.repeat(100_000))]],
    ['a hundred fields', [filePart('x10'), ...Array.from({ length: 100 }, (_, n) => field(`f${n}`, 'z'))]],
  ] as const) {
    const { status, body } = await send(t.context, parts);
    t.is(status, 400, what);
    t.is(codeOf(body), 'VALIDATION_ERROR', what);
  }
  t.is((await send(t.context, [filePart('not finished')], '')).status, 400, 'a form without its end');
  const json = await t.context.admin.post('/api/documents/upload', { file: 'x' });
  t.is(json.status, 400);
  const { rows } = await t.context.database.pool.query(
    "select count(*)::int as n from documents where filename = 'form.txt' and title not in ('Before', 'Behind')",
  );
  t.deepEqual(rows, [{ n: 0 }]);
});

test.serial('an upload that breaks off in the middle leaves no document and no file', async (t) => {
  const { admin, storedFiles, database } = t.context;
  const before = (await storedFiles()).length;
  const { hostname, port } = new URL(admin.url);
  const authorization = (await t.context.anyone.post('/api/auth/login', { username: 'admin', password: 'correct horse battery' })).body[
    'token'
  ];
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /api/documents/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${String(authorization)}\r\nContent-Length: 1000000\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="cut.txt"\r\n\r\nhalf of `,
  );
  socket.write('x'.repeat(400_000)); // so much that it does not stay in memory until it is whole
  await waitFor(async () => (await storedFiles()).length > before, { description: 'the upload to arrive', limitMs: 20_000 });
  socket.destroy();
  await waitFor(async () => (await storedFiles()).length === before, { description: 'the half file to be removed', limitMs: 20_000 });
  const { rows } = await database.pool.query("select count(*)::int as n from documents where filename = 'cut.txt'");
  t.deepEqual(rows, [{ n: 0 }]);
});

test('labels given by id stand on the document by name', async (t) => {
  const { admin, database } = t.context;
  await database.pool.query("insert into labels (id, name, color) values ('019eb1f0-1111-7000-8000-000000000001', 'Taxes', '#ff0000')");
  const { body } = await admin.upload(text('with a label'), { labels: '019eb1f0-1111-7000-8000-000000000001' });
  t.deepEqual(body['labels'], ['Taxes']);
  const found = await admin.get('/api/documents?label_ids=019eb1f0-1111-7000-8000-000000000001');
  t.is((found.body['data'] as unknown[]).length, 1);
});

test('a download gives back the same content, whole or by range', async (t) => {
  const bytes = new TextEncoder().encode(randomBytes(150_000).toString('hex'));
  const { body } = await t.context.admin.upload({ name: 'Ünïcode, №5.txt', bytes });
  const get = (headers: Record<string, string> = {}, query = '') =>
    t.context.admin.request(`/api/documents/${String(body['id'])}/download${query}`, { headers });
  const whole = await get();
  t.deepEqual(new Uint8Array(await whole.arrayBuffer()), bytes);
  const etag = whole.headers.get('etag') ?? '';
  t.is(etag, `"${String(body['sha256'])}"`);
  t.is(whole.headers.get('content-length'), '300000');
  t.regex(whole.headers.get('content-disposition') ?? '', /^attachment; .*filename\*=UTF-8''%C3%9Cn%C3%AFcode%2C%20%E2%84%965\.txt$/);
  t.is(whole.headers.get('x-content-type-options'), 'nosniff');

  for (const [range, start, end] of [
    ['bytes=0-9', 0, 9],
    ['bytes=299990-', 299_990, 299_999],
    ['bytes=-5', 299_995, 299_999],
    ['bytes=100-999999', 100, 299_999],
  ] as const) {
    const part = await get({ range });
    t.is(part.status, 206, range);
    t.is(part.headers.get('content-range'), `bytes ${start}-${end}/300000`);
    t.deepEqual(new Uint8Array(await part.arrayBuffer()), bytes.slice(start, end + 1), range);
  }
  const beyond = await get({ range: 'bytes=300000-' });
  t.is(beyond.status, 416);
  t.is(beyond.headers.get('content-range'), 'bytes */300000');
  t.is((await get({ 'if-none-match': etag, 'cache-control': 'max-age=0' })).status, 304);
  t.is((await get({ range: 'bytes=0-9', 'if-range': '"other"' })).status, 200);
  t.is((await get({ range: 'bytes=0-1,5-6' })).status, 200, 'several ranges are answered whole');
  t.regex((await get({}, '?inline=true')).headers.get('content-disposition') ?? '', /^inline/);
});

test('deleting permanently removes the row and the bytes, unless another document has the same content', async (t) => {
  const { admin, anyone, storedFiles } = t.context;
  await admin.post('/api/auth/register', { username: 'ed', email: 'ed@example.org', password: 'correct horse battery', role: 'editor' });
  const editor = await anyone.login('ed');
  const file = text('owned by two');
  const [mine, theirs] = [await admin.upload(file), await editor.upload(file)];
  const isStored = async () => (await storedFiles()).some((path) => path.endsWith(String(mine.body['sha256'])));
  t.is((await admin.delete(`/api/documents/${String(mine.body['id'])}?permanent=true`)).status, 204);
  t.true(await isStored());
  t.is((await editor.delete(`/api/documents/${String(theirs.body['id'])}?permanent=true`)).status, 204);
  t.false(await isStored());
});

test('lists page without losing or doubling a row and carry no more than an excerpt', async (t) => {
  for (let n = 0; n < 7; n += 1) await t.context.admin.upload(text(`page filler ${n}`), { title: `Filler ${n}` });
  const ids: unknown[] = [];
  let total = 0;
  for (let page = 1; ; page += 1) {
    const { body } = await t.context.admin.get(`/api/documents?per_page=3&page=${page}&sort=title&order=asc`);
    const pagination = body['pagination'] as { has_next: boolean; has_prev: boolean; total: number; total_pages: number };
    ids.push(...(body['data'] as { id: string }[]).map(({ id }) => id));
    total = pagination.total;
    t.is(pagination.has_prev, page > 1);
    if (!pagination.has_next) break;
  }
  t.is(ids.length, total);
  t.is(new Set(ids).size, total);
});
