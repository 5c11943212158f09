// Uploads may take as long as they like while they send; a sender who trickles or stops is ended.

import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { HttpServer } from '@sheaf/api/testing';
import { sleep } from '@sheaf/process';
import type { ApiClient } from '@sheaf/testkit';
import test from 'ava';
import { type RunningApi, startApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const BEGINNING = '--b\r\nContent-Disposition: form-data; name="file"; filename="slow.txt"\r\n\r\n';
const END = '\r\n--b--\r\n';

const tokenOf = async (client: ApiClient): Promise<string> =>
  String((await client.post('/api/auth/login', { username: 'admin', password: 'correct horse battery' })).body['token']);

interface Sender {
  readonly socket: Socket;
  readonly answer: () => string;
  readonly ended: Promise<unknown>;
}

const begin = async ({ anyone }: RunningApi, path: string, length: number): Promise<Sender> => {
  const token = await tokenOf(anyone);
  const socket = connect(Number(new URL(anyone.url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  socket.on('error', () => {}); // it may be cut while something is written
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${length}\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n`,
  );
  return { socket, answer: () => answer, ended };
};

/** Writes `piece` again and again until the connection ends. */
const trickle = async ({ socket, ended }: Sender, piece: string, everyMs: number): Promise<void> => {
  const abort = new AbortController();
  void ended.then(() => abort.abort());
  while (!abort.signal.aborted) {
    socket.write(piece);
    await sleep(everyMs, abort.signal);
  }
};

const leftovers = async ({ folder }: RunningApi): Promise<string[]> => readdir(join(folder, 'uploads', 'temp')).catch(() => []);

const SLOW = { UPLOAD_IDLE_TIMEOUT: '1', UPLOAD_MIN_BYTES_PER_SECOND: '1000' };

test('an upload that sends less than UPLOAD_MIN_BYTES_PER_SECOND over UPLOAD_IDLE_TIMEOUT is answered 400 and leaves nothing behind', async (t) => {
  const api = await startApi({ ...SLOW, ALLOWED_FILE_TYPES: 'txt' });
  t.teardown(() => api.stop());
  for (const [path, field] of [
    ['/api/documents/upload', 'file'],
    ['/api/documents/bulk-upload', 'files'],
  ] as const) {
    const sender = await begin(api, path, 1_000_000);
    sender.socket.write(BEGINNING.replace('"file"', `"${field}"`));
    await trickle(sender, 'x', 100);
    t.regex(sender.answer(), /^HTTP\/1\.1 400 .*\r\nConnection: close\r\n/s, path);
    const body: unknown = JSON.parse(sender.answer().slice(sender.answer().indexOf('{')));
    t.like(body, { error: { code: 'VALIDATION_ERROR', details: { reason: 'upload_too_slow', limit_seconds: 1 } } }, path);
    await waitFor(async () => (await leftovers(api)).length === 0, { description: 'temporary files to be removed', limitMs: 20_000 });
  }
  t.is(Number((await api.database.pool.query('select count(*) from documents')).rows[0].count), 0);
});

test('an upload on a slow line that keeps sending arrives, however many windows it takes', async (t) => {
  const api = await startApi({ ...SLOW, UPLOAD_MIN_BYTES_PER_SECOND: '100', ALLOWED_FILE_TYPES: 'txt' });
  t.teardown(() => api.stop());
  const pieces = Array.from({ length: 12 }, (_, i) => `${String(i).padStart(2, '0')} ${'word '.repeat(60)}\n`);
  const whole = BEGINNING + pieces.join('') + END;
  const sender = await begin(api, '/api/documents/upload', whole.length);
  sender.socket.write(BEGINNING);
  const { signal } = new AbortController();
  for (const piece of pieces) {
    sender.socket.write(piece);
    await sleep(300, signal);
  }
  sender.socket.write(END);
  await waitFor(() => sender.answer() !== '', { description: 'the answer', limitMs: 20_000 });
  t.regex(sender.answer(), /^HTTP\/1\.1 201 /);
  sender.socket.destroy();
});

test('who goes on sending after the answer is disconnected after a while', async (t) => {
  const server = new HttpServer((_request, response) => response.writeHead(401).end(), { host: '127.0.0.1', port: 0, linger: { ms: 200 } });
  await server.start();
  t.teardown(() => server.stop());
  const socket = connect(server.address().port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  socket.on('error', () => {});
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
  await trickle({ socket, answer: () => answer, ended }, 'x', 50);
  t.regex(answer, /^HTTP\/1\.1 401 /);
});
