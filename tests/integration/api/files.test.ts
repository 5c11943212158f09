import { randomBytes } from 'node:crypto';
import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalStorage, previewKey } from '@sheaf/storage';
import { makePdf } from '@sheaf/testkit';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ ALLOWED_FILE_TYPES: 'pdf,txt,png,docx' });

const SIZE = 300_000;
interface Given {
  readonly id: string;
  readonly sha256: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const given = async (
  { admin }: RunningApi,
  name = 'file.txt',
  bytes = new TextEncoder().encode(randomBytes(SIZE / 2).toString('hex')),
): Promise<Given> => {
  const { status, body } = await admin.upload({ name, bytes });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return { id: String(body['id']), sha256: String(body['sha256']), bytes };
};

const get = ({ admin }: RunningApi, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  admin.request(path, { headers, method });

/** An office document, as one: a document of a row says so, and nobody opens it here. */
const givenOffice = async (t: RunningApi): Promise<Given> => {
  const file = await given(t);
  await t.database.pool.query(
    "update documents set mime_type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', filename = 'Brief an Jörg.v2.docx' where id = $1",
    [file.id],
  );
  return file;
};

const storageOf = ({ folder }: RunningApi) =>
  new LocalStorage({ path: join(folder, 'uploads'), thumbnailPath: join(folder, 'uploads', 'thumbnails') });

test('ranges are answered as HTTP has them', async (t) => {
  const { id, bytes } = await given(t.context);
  const path = `/api/documents/${id}/download`;
  for (const [range, start, end] of [
    ['bytes=0-0', 0, 0],
    ['bytes=0-', 0, SIZE - 1],
    ['bytes=-1', SIZE - 1, SIZE - 1],
    [`bytes=-${SIZE + 500}`, 0, SIZE - 1],
    [`bytes=10-${'9'.repeat(400)}`, 10, SIZE - 1],
    ['Bytes = 5 - 6 ', 5, 6],
  ] as const) {
    const part = await get(t.context, path, { range });
    t.is(part.status, 206, range);
    t.is(part.headers.get('content-range'), `bytes ${start}-${end}/${SIZE}`, range);
    t.is(part.headers.get('content-length'), String(end - start + 1), range);
    t.deepEqual(new Uint8Array(await part.arrayBuffer()), bytes.slice(start, end + 1), range);
  }
  for (const range of [`bytes=${SIZE}-`, `bytes=${SIZE}-${SIZE + 5}`, 'bytes=-0', `bytes=${'9'.repeat(400)}-`]) {
    const none = await get(t.context, path, { range });
    t.is(none.status, 416, range);
    t.is(none.headers.get('content-range'), `bytes */${SIZE}`, range);
    t.is((await none.arrayBuffer()).byteLength, 0);
  }
  for (const range of ['bytes=5-2', 'bytes=-', 'bytes=a-b', 'pages=1-2', 'bytes=0-1,4-5', 'bytes', '']) {
    const whole = await get(t.context, path, { range });
    t.is(whole.status, 200, range);
    t.is((await whole.arrayBuffer()).byteLength, SIZE, range);
  }
});

test('If-Range and If-None-Match are held against the hash of the bytes', async (t) => {
  const { id, sha256 } = await given(t.context);
  const path = `/api/documents/${id}/download`;
  const statusOf = async (headers: Record<string, string>) => {
    const response = await get(t.context, path, { 'cache-control': 'max-age=0', ...headers });
    await response.arrayBuffer();
    return response.status;
  };
  const range = 'bytes=0-9';
  t.is(await statusOf({ range, 'if-range': `"${sha256}"` }), 206);
  t.is(await statusOf({ range, 'if-range': `W/"${sha256}"` }), 200, 'a weak one proves nothing');
  t.is(await statusOf({ range, 'if-range': 'Sat, 21 Nov 2026 00:00:00 GMT' }), 200);
  t.is(await statusOf({ 'if-none-match': `"${sha256}"` }), 304);
  t.is(await statusOf({ 'if-none-match': `"x", W/"${sha256}"` }), 304);
  t.is(await statusOf({ 'if-none-match': '*' }), 304);
  t.is(await statusOf({ 'if-none-match': '"x"' }), 200);
  t.is(await statusOf({ 'if-none-match': `"${sha256}"`, range }), 304);
});

test('HEAD answers the headers of GET without a range and without a body', async (t) => {
  const { id, sha256 } = await given(t.context);
  const response = await get(t.context, `/api/documents/${id}/download`, { range: 'bytes=0-9' }, 'HEAD');
  t.is(response.status, 200);
  t.is(response.headers.get('content-length'), String(SIZE));
  t.is(response.headers.get('etag'), `"${sha256}"`);
  t.is(response.headers.get('accept-ranges'), 'bytes');
  t.is((await response.arrayBuffer()).byteLength, 0);
});

test('the name of a file goes out whole, whatever is in it, and its contents run nowhere', async (t) => {
  const { id } = await given(t.context);
  await t.context.database.pool.query('update documents set filename = $2 where id = $1', [id, 'a "b"\r\nX-Evil: Größe 🙂.txt']);
  const { headers } = await get(t.context, `/api/documents/${id}/download`);
  t.is(
    headers.get('content-disposition'),
    `attachment; filename="a \\"b\\"??X-Evil: Gr??e ?.txt"; filename*=UTF-8''a%20%22b%22%0D%0AX-Evil%3A%20Gr%C3%B6%C3%9Fe%20%F0%9F%99%82.txt`,
  );
  t.is(headers.get('x-evil'), null);
  t.is(headers.get('x-content-type-options'), 'nosniff');
  t.regex(headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/);
  t.is(headers.get('cache-control'), 'private, no-cache');
});

test('what is shown inline runs nowhere either, except a PDF in the viewer of the browser', async (t) => {
  const { id } = await given(t.context);
  const policy = async (mimeType: string, query: string) => {
    await t.context.database.pool.query('update documents set mime_type = $2 where id = $1', [id, mimeType]);
    return (await get(t.context, `/api/documents/${id}/download${query}`)).headers.get('content-security-policy') ?? '';
  };
  t.regex(await policy('text/plain', '?inline=true'), /^sandbox;/);
  t.regex(await policy('application/pdf', ''), /^sandbox;/);
  t.notRegex(await policy('application/pdf', '?inline=true'), /sandbox/);
});

test('only kinds that run nothing are shown inline', async (t) => {
  const { id } = await given(t.context);
  const disposition = async (mimeType: string, query: string) => {
    await t.context.database.pool.query('update documents set mime_type = $2 where id = $1', [id, mimeType]);
    const { headers } = await get(t.context, `/api/documents/${id}/download${query}`);
    return headers.get('content-disposition')?.split(';')[0];
  };
  for (const mimeType of ['application/pdf', 'text/plain', 'image/png']) t.is(await disposition(mimeType, '?inline=true'), 'inline');
  for (const mimeType of ['text/html', 'image/svg+xml', 'application/msword', 'application/xhtml+xml'])
    t.is(await disposition(mimeType, '?inline=true'), 'attachment');
  t.is(await disposition('application/pdf', ''), 'attachment');
  t.is(await disposition('application/pdf', '?inline=false'), 'attachment');
  t.is((await get(t.context, `/api/documents/${id}/download?inline=perhaps`)).status, 400);
});

test('a file that is missing in the storage is an error of its own, not a file', async (t) => {
  const { id, sha256 } = await given(t.context);
  const path = (await t.context.storedFiles()).find((file) => file.endsWith(sha256)) ?? '';
  await rm(path);
  const response = await get(t.context, `/api/documents/${id}/download`);
  t.is(response.status, 404);
  t.regex(response.headers.get('content-type') ?? '', /^application\/json/);
  t.is(response.headers.get('content-disposition'), null);
  t.is(response.headers.get('etag'), null);
  t.like(await response.json(), { error: { code: 'NOT_FOUND', details: { reason: 'file_missing' } } });
});

test('a file that is shorter in the storage than it was is an error of its own, not half a file', async (t) => {
  const { id, sha256 } = await given(t.context);
  const path = (await t.context.storedFiles()).find((file) => file.endsWith(sha256)) ?? '';
  await truncate(path, 3);
  for (const headers of [{}, { range: 'bytes=0-1' }]) {
    const response = await get(t.context, `/api/documents/${id}/download`, headers);
    t.is(response.status, 404);
    t.is(response.headers.get('etag'), null);
    t.like(await response.json(), { error: { code: 'NOT_FOUND', details: { reason: 'file_damaged' } } });
  }
});

test('the preview of a PDF is the PDF itself, inline and by range', async (t) => {
  const pdf = new Uint8Array(makePdf([{ lines: ['a page'] }]));
  const { id, sha256, bytes } = await given(t.context, 'letter.PDF', pdf);
  const whole = await get(t.context, `/api/documents/${id}/preview`);
  t.is(whole.status, 200);
  t.is(whole.headers.get('content-type'), 'application/pdf');
  t.is(whole.headers.get('content-disposition'), 'inline; filename="letter.pdf"');
  t.is(whole.headers.get('etag'), `"${sha256}"`);
  t.is(whole.headers.get('x-content-type-options'), 'nosniff');
  t.is(whole.headers.get('content-security-policy'), "frame-ancestors 'self'", 'a sandbox would keep the viewer of Chrome out');
  t.deepEqual(new Uint8Array(await whole.arrayBuffer()), bytes);
  t.is((await get(t.context, `/api/documents/${id}/preview`, { range: 'bytes=0-3' })).status, 206);
});

test('the preview of an office document is its PDF rendition once there is one', async (t) => {
  const { id, sha256 } = await givenOffice(t.context);
  const path = `/api/documents/${id}/preview`;
  const none = await get(t.context, path);
  t.is(none.status, 404);
  t.like(await none.json(), {
    error: { code: 'NOT_FOUND', details: { reason: 'preview_not_available', document_id: id, status: 'pending' } },
  });
  const source = join(t.context.folder, `${id}.pdf`);
  await writeFile(source, '%PDF-1.7 rendition');
  await storageOf(t.context).put(previewKey(sha256), source);
  const whole = await get(t.context, path);
  t.is(whole.status, 200);
  t.is(whole.headers.get('content-type'), 'application/pdf');
  t.is(whole.headers.get('content-disposition'), `inline; filename="Brief an J?rg.v2.pdf"; filename*=UTF-8''Brief%20an%20J%C3%B6rg.v2.pdf`);
  t.is(await whole.text(), '%PDF-1.7 rendition');
  const etag = whole.headers.get('etag') ?? '';
  t.not(etag, `"${sha256}"`, 'other bytes than those of the original');
  t.is((await get(t.context, path, { 'if-none-match': etag, 'cache-control': 'max-age=0' })).status, 304);
  const part = await get(t.context, path, { range: 'bytes=-9', 'if-range': etag });
  t.is(part.status, 206);
  t.is(await part.text(), 'rendition');
});

test('other kinds have no preview', async (t) => {
  const { id } = await given(t.context);
  const response = await get(t.context, `/api/documents/${id}/preview`);
  t.is(response.status, 404);
  t.like(await response.json(), { error: { code: 'NOT_FOUND', details: { reason: 'preview_not_available' } } });
  t.is((await get(t.context, '/api/documents/019eb1f0-0000-7000-8000-000000000000/preview')).status, 404);
});
