import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type WebClientSettings, webClient } from '@sheaf/api/testing';
import test, { type ExecutionContext } from 'ava';
import express from 'express';
import { rawRequest } from '../../support/raw-request.ts';
import { startApi } from '../../support/running-api.ts';

const SCRIPT = `console.log(${JSON.stringify('a'.repeat(2_000))})`;
const PAGE = '<!doctype html><meta name="style-nonce" content="STYLE_NONCE"><script type="module" src="/assets/index-1a2b.js"></script>';
/** Where people go; the interface must not have anything there. */
const SCREENS = [
  '/',
  '/welcome',
  '/documents',
  '/search',
  '/labels',
  '/correspondents',
  '/document-types',
  '/sources',
  '/queue',
  '/ingest',
  '/notifications',
  '/settings',
  '/profile',
  '/users',
  '/service-health',
  '/analytics',
  '/audit',
  '/deliveries',
  '/system',
  '/register',
  '/invitation',
  '/verify-email',
  '/share-target',
  '/trash',
];
const FOR_A_PERSON = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

/** A folder as `vite build` leaves it. */
const makeFolder = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-web-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), PAGE);
  await writeFile(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(folder, 'assets/index-1a2b.js'), SCRIPT);
  await writeFile(join(folder, 'assets/index-1a2b.js.br'), brotliCompressSync(SCRIPT));
  await writeFile(join(folder, 'assets/index-1a2b.js.gz'), gzipSync(SCRIPT));
  await writeFile(join(folder, 'assets/only-3c4d.js'), SCRIPT);
  await writeFile(join(folder, 'assets/only-3c4d.js.gz'), gzipSync(SCRIPT));
  await writeFile(join(folder, '.secret.json'), '{}');
  await writeFile(join(folder, 'sw.js'), SCRIPT);
  await writeFile(join(folder, 'manifest.de.webmanifest'), '{"name":"Sheaf"}');
  return folder;
};

/** A server of the client alone; what it passes on is answered with 404 and the word `passed`. */
const serve = async (t: ExecutionContext, settings: Partial<WebClientSettings> = {}) => {
  const app = express();
  app.disable('etag');
  app.use(webClient({ mayBeFramed: true, ...settings }));
  app.use((_request, response) => {
    response.status(404).type('text/plain').send('passed');
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') => rawRequest({ port, path, headers, method });
  return Object.assign(get, { port });
};

test('files with hashed names are kept for ever, others are asked for again', async (t) => {
  const get = await serve(t, { folder: await makeFolder(t) });
  const script = await get('/assets/index-1a2b.js');
  t.is(script.status, 200);
  t.is(script.headers['content-type'], 'text/javascript; charset=utf-8');
  t.is(script.headers['cache-control'], 'public, max-age=31536000, immutable');
  const icon = await get('/icon.svg');
  t.is(icon.headers['content-type'], 'image/svg+xml');
  t.is(icon.headers['cache-control'], 'public, max-age=3600');
  const again = await get('/icon.svg', { 'if-none-match': String(icon.headers.etag) });
  t.is(again.status, 304);
  t.is(again.bytes.length, 0);
  t.is((await get('/icon.svg', { 'if-none-match': 'W/"another"' })).status, 200);
});

test('the service worker and the manifest are asked for again at each use, and the worker may talk to this service alone', async (t) => {
  const get = await serve(t, { folder: await makeFolder(t) });
  const worker = await get('/sw.js');
  t.is(worker.status, 200);
  t.is(worker.headers['content-type'], 'text/javascript; charset=utf-8');
  t.is(worker.headers['cache-control'], 'no-cache');
  t.is(worker.headers['content-security-policy'], "default-src 'none'; connect-src 'self'");
  t.is((await get('/sw.js', { 'if-none-match': String(worker.headers.etag) })).status, 304);
  const manifest = await get('/manifest.de.webmanifest');
  t.is(manifest.headers['content-type'], 'application/manifest+json');
  t.is(manifest.headers['cache-control'], 'no-cache');
  const policy = String((await get('/', FOR_A_PERSON)).headers['content-security-policy']);
  for (const directive of ["worker-src 'self'", "manifest-src 'self'"]) t.true(policy.split('; ').includes(directive), directive);
});

test('files that are shared past the service worker lead to its screen, and are not read', async (t) => {
  const get = await serve(t, { folder: await makeFolder(t) });
  const { status, headers } = await get('/share-target', FOR_A_PERSON, 'POST');
  t.is(status, 303);
  t.is(headers.location, '/share-target');
  t.is((await get('/share-target', FOR_A_PERSON)).status, 200);
  t.is((await get('/share-target/files/1', FOR_A_PERSON, 'POST')).text, 'passed');
});

for (const [accepted, encoding] of [
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.2, gzip;q=0.8', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['identity', undefined],
  ['identity, br;q=0.5', undefined],
  ['deflate', undefined],
  ['', undefined],
] as const)
  test(`a client that accepts "${accepted}" is sent ${encoding ?? 'the file as it is'}`, async (t) => {
    const get = await serve(t, { folder: await makeFolder(t) });
    const { status, headers, bytes } = await get('/assets/index-1a2b.js', { 'accept-encoding': accepted });
    t.is(status, 200);
    t.is(headers['content-encoding'], encoding);
    t.is(headers.vary, 'Accept-Encoding');
    const expected = { br: brotliCompressSync(SCRIPT), gzip: gzipSync(SCRIPT), none: Buffer.from(SCRIPT) }[encoding ?? 'none'];
    t.deepEqual(bytes, expected);
  });

test('what lies ready in one encoding only is sent in that one', async (t) => {
  const get = await serve(t, { folder: await makeFolder(t) });
  t.is((await get('/assets/only-3c4d.js', { 'accept-encoding': 'gzip, br' })).headers['content-encoding'], 'gzip');
  t.is((await get('/icon.svg', { 'accept-encoding': 'gzip, br' })).headers['content-encoding'], undefined);
});

test('HEAD is answered like GET, without the body; nothing can be posted', async (t) => {
  const get = await serve(t, { folder: await makeFolder(t) });
  const head = await get('/assets/index-1a2b.js', { 'accept-encoding': 'gzip' }, 'HEAD');
  t.is(head.status, 200);
  t.is(Number(head.headers['content-length']), gzipSync(SCRIPT).length);
  t.is(head.bytes.length, 0);
  const page = await get('/documents', FOR_A_PERSON, 'HEAD');
  t.is(page.status, 200);
  t.is(page.bytes.length, 0);
  t.is((await get('/documents', FOR_A_PERSON, 'POST')).text, 'passed');
});

test('the page is what a browser gets at every address that is a screen, and nowhere else', async (t) => {
  const get = await serve(t, { folder: await makeFolder(t) });
  for (const path of [
    '/',
    '/documents',
    '/documents/0198f2a4?q=a%20b',
    '/apiary',
    '/users/%2e%2e',
    '/.git/config',
    '//elsewhere.example',
  ]) {
    const { status, headers, text } = await get(path, FOR_A_PERSON);
    t.is(status, 200, path);
    t.is(headers['content-type'], 'text/html; charset=utf-8', path);
    t.is(headers['cache-control'], 'no-store', path);
    t.true(text.startsWith('<!doctype html>'), path);
  }
  for (const path of ['/api', '/api/nothing', '/ws', '/socket.io/?EIO=4', '/assets/gone-9z9z.js', '/pdfjs/none.bcmap'])
    t.is((await get(path, FOR_A_PERSON)).text, 'passed', path);
  for (const accept of ['*/*', 'application/json', 'text/css,*/*;q=0.1', 'image/avif,image/webp,*/*'])
    t.is((await get('/documents', { accept })).text, 'passed', accept);
});

test('only what was built is served: neither what lies beside it nor what is hidden', async (t) => {
  const get = await serve(t, { folder: await makeFolder(t) });
  for (const path of [
    '/../package.json',
    '/assets/../../etc/passwd',
    '/assets/%2e%2e/index.html',
    '/assets%2findex-1a2b.js',
    '/.secret.json',
    '/index.html',
    '/assets/index-1a2b.js.br',
    '/assets',
  ])
    t.is((await get(path)).status, 404, path);
});

test('a browser that resets its connection in the middle of a file costs nobody else anything', async (t) => {
  const folder = await makeFolder(t);
  await writeFile(join(folder, 'assets/large-5e6f.js'), 'a'.repeat(8 * 1024 ** 2));
  const get = await serve(t, { folder });
  const reset = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(get.port, '127.0.0.1');
      socket.write('GET /assets/large-5e6f.js HTTP/1.1\r\nHost: x\r\n\r\n');
      socket.once('data', () => socket.resetAndDestroy());
      socket.once('close', () => resolve());
    });
  await Promise.all(Array.from({ length: 20 }, reset));
  t.is((await get('/icon.svg')).status, 200);
});

test('what is gone from the disk since is an answer without the promises of a file', async (t) => {
  const folder = await makeFolder(t);
  const get = await serve(t, { folder });
  await rm(join(folder, 'assets'), { recursive: true });
  const { status, headers } = await get('/assets/index-1a2b.js', { 'accept-encoding': 'br' });
  t.is(status, 404);
  t.is(headers['cache-control'], 'no-store');
  t.is(headers['content-encoding'], undefined);
  t.is(headers.etag, undefined);
  t.is((await get('/', FOR_A_PERSON)).text.includes('/assets/index-1a2b.js'), true, 'the page stays the one that was read at the start');
});

test('the page allows scripts of our own and styles with the nonce of this very answer, and nothing from elsewhere', async (t) => {
  const get = await serve(t, { folder: await makeFolder(t) });
  const nonces = new Set<string>();
  for (let time = 0; time < 3; time += 1) {
    const { headers, text } = await get('/', FOR_A_PERSON);
    const policy = String(headers['content-security-policy']);
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    t.true(text.includes(`content="${nonce}"`));
    nonces.add(nonce);
    t.notRegex(policy, /unsafe-inline|'unsafe-eval'|https?:|\*/);
    const directives = new Map(policy.split('; ').map((line) => [line.split(' ')[0], line]));
    t.is(directives.get('default-src'), "default-src 'none'");
    t.is(directives.get('script-src'), "script-src 'self' 'wasm-unsafe-eval'");
    t.is(directives.get('connect-src'), "connect-src 'self'");
    t.is(directives.get('frame-src'), "frame-src 'self'");
    t.is(directives.get('frame-ancestors'), "frame-ancestors 'self'");
  }
  t.is(nonces.size, 3);
});

test('where no page may be shown in a frame, this one may not either', async (t) => {
  const get = await serve(t, { folder: await makeFolder(t), mayBeFramed: false });
  t.regex(String((await get('/', FOR_A_PERSON)).headers['content-security-policy']), /frame-ancestors 'none'/);
});

test('without a client that is built, the page says what to do', async (t) => {
  const get = await serve(t, { folder: join(await makeFolder(t), 'no-such-folder') });
  const { status, headers, text } = await get('/', FOR_A_PERSON);
  t.is(status, 404);
  t.is(headers['cache-control'], 'no-store');
  t.regex(text, /Run \.\/setup/);
  t.is((await get('/icon.svg')).text, 'passed');
});

test('in the service the client takes nothing from the interface, costs nobody their requests, and obeys the headers', async (t) => {
  const api = await startApi({
    RATE_LIMIT_ENABLED: 'true',
    RATE_LIMIT_PER_MINUTE: '5',
    RATE_LIMIT_BURST: '1',
    SECURITY_X_FRAME_OPTIONS: 'deny',
    AUTH_ENABLED: 'false',
  });
  t.teardown(() => api.stop());
  const port = Number(new URL(api.anyone.url).port);
  const get = (path: string, headers: Record<string, string> = FOR_A_PERSON) => rawRequest({ port, path, headers, method: 'GET' });
  for (let time = 0; time < 20; time += 1) {
    const { status, headers } = await get('/documents');
    t.true(status === 200 || status === 404, `${status}`); // 404 where it is not built
    if (status === 200) t.regex(String(headers['content-security-policy']), /frame-ancestors 'none'/);
    t.is(headers['x-frame-options'], 'DENY');
  }
  for (const path of SCREENS) t.regex(String((await get(path)).headers['content-type']), /^text\/(?:html|plain)/, `${path} is a screen`);
  for (const path of ['/status', '/health', '/api/docs']) {
    const { status, headers, text } = await get(path);
    t.is(status, 200, path);
    t.notRegex(text, /style-nonce/, path);
    t.notRegex(String(headers['content-security-policy']), /nonce-/, path);
  }
  const nothing = await get('/api/nothing');
  t.is(nothing.status, 404);
  t.regex(String(nothing.headers['content-type']), /json/);
});
