// An upload that is refused before its end: the client has its answer, also one that sends to the end first, and the connection is closed.
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, mkdtempDisposable } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { canMount, makeReadOnly, mountSmallDisk } from '../../fixtures/small-disk.ts';
import { testWhere } from '../../support/conditional-test.ts';
import { type RunningApi, startApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const MEGABYTE = 1024 * 1024;
const HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="large.txt"\r\n\r\n';
const TAIL = '\r\n--b--\r\n';
const BLOCK = Buffer.alloc(MEGABYTE, 'x');

interface Upload {
  readonly megabytes: number;
  readonly token?: string;
  /** Whether the length is announced, as by most clients, or comes in chunks. */
  readonly isChunked?: boolean;
}

const headOf = ({ megabytes, token, isChunked = false }: Upload): string =>
  [
    'POST /api/documents/upload HTTP/1.1',
    'Host: x',
    'Content-Type: multipart/form-data; boundary=b',
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${megabytes * MEGABYTE + HEAD.length + TAIL.length}`,
    '\r\n',
  ].join('\r\n');

/** Sends the whole request and reads only then, as most clients do; the answer is all that came until the server closed the connection. */
const sendThenRead = async (api: RunningApi, upload: Upload): Promise<string> => {
  const socket = connect({ port: Number(new URL(api.anyone.url).port), host: '127.0.0.1', allowHalfOpen: true });
  socket.pause();
  const failed = new Promise<never>((_resolve, reject) => socket.once('error', reject));
  failed.catch(() => {});
  const write = (bytes: string | Buffer): Promise<void> =>
    Promise.race([failed, new Promise<void>((resolve) => socket.write(bytes, () => resolve()))]);
  const send = async (bytes: string | Buffer): Promise<void> => {
    if (upload.isChunked !== true) return write(bytes);
    await write(`${bytes.length.toString(16)}\r\n`);
    await write(bytes);
    await write('\r\n');
  };
  await write(headOf(upload));
  await send(HEAD);
  for (let n = 0; n < upload.megabytes; n += 1) await send(BLOCK);
  await send(TAIL);
  if (upload.isChunked === true) await write('0\r\n\r\n');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
  await Promise.race([failed, new Promise((resolve) => socket.once('end', resolve))]);
  socket.destroy();
  return Buffer.concat(chunks).toString();
};

const tokenOf = async ({ anyone }: RunningApi): Promise<string> =>
  String((await anyone.post('/api/auth/login', { username: 'admin', password: 'correct horse battery' })).body['token']);

test('who sends a large upload to its end has the refusal: too large, not signed in, an address that does not exist', async (t) => {
  const api = await startApi({ MAX_FILE_SIZE_MB: '1', ALLOWED_FILE_TYPES: 'txt' });
  t.teardown(() => api.stop());
  const token = await tokenOf(api);
  const cases: readonly (readonly [upload: Upload, status: RegExp])[] = [
    [{ megabytes: 150, token }, /^HTTP\/1\.1 400 [^]*too_large/],
    [{ megabytes: 40, token, isChunked: true }, /^HTTP\/1\.1 400 [^]*too_large/],
    [{ megabytes: 60 }, /^HTTP\/1\.1 401 [^]*sign_in_first/],
    [{ megabytes: 20, isChunked: true }, /^HTTP\/1\.1 401 [^]*sign_in_first/],
  ];
  for (const [upload, status] of cases) {
    const answer = await sendThenRead(api, upload);
    t.regex(answer, status, JSON.stringify({ ...upload, token: undefined }));
    t.regex(answer, /\r\nConnection: close\r\n/i);
  }
});

testWhere(canMount(), 'this user may not mount a small disk')(
  'an upload for which there is no room is answered with 503, and its connection is closed and not said to stay',
  async (t) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-room-'));
    await using _disk = await mountSmallDisk(join(folder.path, 'disk'));
    const api = await startApi({ MAX_FILE_SIZE_MB: '100', ALLOWED_FILE_TYPES: 'txt', TEMP_STORAGE_PATH: join(folder.path, 'disk') });
    t.teardown(() => api.stop());
    const answer = await sendThenRead(api, { megabytes: 20, token: await tokenOf(api) });
    t.regex(answer, /^HTTP\/1\.1 503 [^]*storage_full/);
    t.regex(answer, /\r\nConnection: close\r\n/i);
  },
);

testWhere(canMount(), 'this user may not mount a small disk')(
  'an upload to a folder that became read-only is answered with 503, readiness follows within 5 seconds, and downloads go on',
  async (t) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-readonly-'));
    const uploads = join(folder.path, 'disk');
    await using _disk = await mountSmallDisk(uploads);
    await mkdir(join(uploads, 'documents'));
    const api = await startApi({ ALLOWED_FILE_TYPES: 'txt', UPLOAD_PATH: uploads });
    t.teardown(() => api.stop());
    const { body } = await api.admin.upload({ name: 'before.txt', bytes: Buffer.from('before') });
    t.is((await api.anyone.get('/ready')).status, 200);
    await makeReadOnly(uploads);
    const sinceMs = performance.now();
    const refused = await api.admin.upload({ name: 'after.txt', bytes: Buffer.from('after') });
    t.like(refused, { status: 503, body: { error: { code: 'SERVICE_UNAVAILABLE', details: { reason: 'storage_read_only' } } } });
    await waitFor(async () => (await api.anyone.get('/ready')).status === 503, { description: 'readiness', limitMs: 10_000 });
    t.true(performance.now() - sinceMs < 5_000, 'readiness took longer');
    t.like((await api.admin.get('/api/health')).body, { problems: { file_storage: [{ code: 'file_storage_problem' }] } });
    t.is((await api.admin.get(`/api/documents/${String(body['id'])}/download`)).status, 200);
  },
);

const hasProgram = (file: string): boolean => {
  try {
    execFileSync(file, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const PYTHON = `
import http.client, sys
connection = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]))
body = b'''${HEAD.replaceAll('\r\n', '\\r\\n')}''' + b'x' * (${String(120 * MEGABYTE)}) + b'''${TAIL.replaceAll('\r\n', '\\r\\n')}'''
for _ in range(2):
    connection.request('POST', '/api/documents/upload', body, {'Content-Type': 'multipart/form-data; boundary=b', 'Authorization': 'Bearer ' + sys.argv[2]})
    answer = connection.getresponse()
    print(answer.status, answer.read().decode())
`;

testWhere(hasProgram('python3'), 'python3 is missing')(
  'Python has the answer to an upload that is too large, and to the next one',
  async (t) => {
    const api = await startApi({ MAX_FILE_SIZE_MB: '1', ALLOWED_FILE_TYPES: 'txt' });
    t.teardown(() => api.stop());
    const { stdout } = await promisify(execFile)('python3', ['-c', PYTHON, new URL(api.anyone.url).port, await tokenOf(api)]);
    t.is(stdout.match(/^400 .*too_large/gm)?.length, 2, stdout);
  },
);

test('a short request that is refused keeps its connection, and the next one on it is answered', async (t) => {
  const api = await startApi();
  t.teardown(() => api.stop());
  const socket = connect(Number(new URL(api.anyone.url).port), '127.0.0.1');
  t.teardown(() => socket.destroy());
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const request = (body: string) =>
    `POST /api/labels HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  for (let n = 1; n <= 3; n += 1) {
    socket.write(request('x'.repeat(100_000)));
    while ((text.match(/HTTP\/1\.1 401 /g)?.length ?? 0) < n) await new Promise((resolve) => socket.once('data', resolve));
  }
  t.notRegex(text, /Connection: close/i);
});
