// Each limit on what may be sent is answered 400 VALIDATION_ERROR, with the limit in `details`.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Answer } from '@sheaf/testkit';
import type { ExecutionContext } from 'ava';
import { type RunningApi, startApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ JSON_BODY_LIMIT_MB: '1', MAX_FILE_SIZE_MB: '1' });
const MEGABYTE = 1024 * 1024;

const is = (t: ExecutionContext<RunningApi>, { status, body }: Pick<Answer, 'status' | 'body'>, details: object): void => {
  t.is(status, 400);
  t.like(body, { error: { code: 'VALIDATION_ERROR', details } });
};

test('JSON: JSON_BODY_LIMIT_MB, however it is sent', async (t) => {
  const { admin } = t.context;
  is(t, await admin.post('/api/labels', { name: 'x'.repeat(MEGABYTE) }), { limit_bytes: MEGABYTE });
  const chunked = await admin.request('/api/labels', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield Buffer.from('{"name":"');
      for (let i = 0; i < 17; i += 1) yield Buffer.alloc(MEGABYTE / 16, 'x');
      yield Buffer.from('"}');
    })() as unknown as BodyInit,
    duplex: 'half',
  } as RequestInit);
  is(t, { status: chunked.status, body: (await chunked.json()) as Record<string, unknown> }, { limit_bytes: MEGABYTE });
});

test('a file: MAX_FILE_SIZE_MB, in one upload and in each of several', async (t) => {
  const { admin } = t.context;
  const bytes = new Uint8Array(MEGABYTE + 1).fill(97);
  is(t, await admin.upload({ name: 'big.txt', bytes }), { max_bytes: MEGABYTE });
  const form = new FormData();
  form.append('files', new Blob([bytes]), 'big.txt');
  form.append('files', new Blob(['a small one']), 'small.txt');
  const answer = await admin.request('/api/documents/bulk-upload', { method: 'POST', body: form });
  t.is(answer.status, 201);
  t.like(await answer.json(), { uploaded: 1, failed: 1, errors: [{ filename: 'big.txt' }] });
});

test('a form: the length of a field, the number of fields, files at a time', async (t) => {
  const { admin } = t.context;
  const small = { name: 'small.txt', bytes: new TextEncoder().encode('small') };
  is(t, await admin.upload(small, { title: 'x'.repeat(65 * 1024) }), { limit_bytes: 64 * 1024 });
  is(t, await admin.upload(small, Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`field${n}`, 'x']))), { limit: 20 });
  const form = new FormData();
  for (let i = 0; i < 11; i += 1) form.append('files', new Blob([`number ${i}`]), `${i}.txt`);
  const answer = await admin.request('/api/documents/bulk-upload', { method: 'POST', body: form });
  is(t, { status: answer.status, body: (await answer.json()) as Record<string, unknown> }, { limit: 10 });
});

test('address and headers: 16 kB together', async (t) => {
  const { port } = new URL(t.context.anyone.url);
  const long = 'x'.repeat(17 * 1024);
  for (const head of [`GET /api/documents?q=${long} HTTP/1.1\r\nHost: x`, `GET /health HTTP/1.1\r\nHost: x\r\nX-Long: ${long}`]) {
    const socket = connect(Number(port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.on('error', () => {}); // it may be closed before all was written
    const closed = once(socket, 'close');
    socket.write(`${head}\r\n\r\n`);
    await closed;
    t.regex(answer, /^HTTP\/1\.1 400 /);
    t.like(JSON.parse(answer.slice(answer.indexOf('{'))), { error: { code: 'VALIDATION_ERROR', details: { limit_bytes: 16 * 1024 } } });
  }
});

test('MAX_FILE_SIZE_MB raises what a request may have', async (t) => {
  const api = await startApi({ MAX_FILE_SIZE_MB: '3' });
  try {
    const { status } = await api.admin.upload({ name: 'big.txt', bytes: new Uint8Array(2 * MEGABYTE).fill(97) });
    t.is(status, 201);
  } finally {
    await api.stop();
  }
});
