import { request as httpRequest } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ACTIONS } from '@sheaf/vocabulary/permissions';
import { fullOnly } from '../../support/full-run.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

interface Raw {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

interface Asked {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** fetch would take the answer apart by itself. */
const ask = (url: string, encodings: string, { method = 'GET', body, headers = {} }: Asked = {}): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers: { 'accept-encoding': encodings, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }));
    });
    request.once('error', reject);
    request.end(body);
  });

const LONG = 'the same words again and again '.repeat(200);

const signedIn = async ({ anyone }: RunningApi): Promise<Record<string, string>> => {
  const { body } = await anyone.post('/api/auth/login', { username: 'admin', password: 'correct horse battery' });
  return { authorization: `Bearer ${String(body['token'])}` };
};

test('lists are compressed for who takes it, and say that they depend on it', async (t) => {
  const { admin, anyone } = t.context;
  const headers = await signedIn(t.context);
  for (let i = 0; i < 5; i += 1) await admin.upload({ name: `letter ${i}.txt`, bytes: new TextEncoder().encode(`letter ${i}`) });
  const url = `${anyone.url}/api/documents`;
  const plain = await ask(url, 'identity', { headers });
  t.true(plain.body.length > 1_024);
  t.is(plain.headers['content-encoding'], undefined);
  t.regex(String(plain.headers['vary']), /Accept-Encoding/);
  const gzip = await ask(url, 'gzip', { headers });
  t.is(gzip.headers['content-encoding'], 'gzip');
  t.deepEqual(gunzipSync(gzip.body), plain.body);
  const br = await ask(url, 'gzip, deflate, br', { headers });
  t.is(br.headers['content-encoding'], 'br');
  t.deepEqual(brotliDecompressSync(br.body), plain.body);
  const short = await ask(`${anyone.url}/health`, 'gzip', { headers });
  t.is(short.headers['content-encoding'], undefined, 'less than 1 kB');
});

test('files, ranges and answers with tokens are sent as they are', async (t) => {
  const { admin, anyone } = t.context;
  const headers = await signedIn(t.context);
  const { body } = await admin.upload({ name: 'long.txt', bytes: new TextEncoder().encode(LONG) });
  const file = `${anyone.url}/api/documents/${String(body['id'])}/download`;
  const whole = await ask(file, 'gzip, br', { headers });
  t.is(whole.headers['content-encoding'], undefined);
  t.is(whole.body.toString(), LONG);
  t.is(whole.headers['content-length'], String(LONG.length));
  const range = await ask(file, 'gzip, br', { headers: { ...headers, range: 'bytes=0-2999' } });
  t.is(range.status, 206);
  t.is(range.headers['content-encoding'], undefined);
  // what says who somebody is, whatever they had it say beside that
  const credentials = { username: 'admin', password: 'correct horse battery' };
  const json = { 'content-type': 'application/json' };
  const login = await ask(`${anyone.url}/api/auth/login`, 'gzip', { method: 'POST', headers: json, body: JSON.stringify(credentials) });
  t.is(login.status, 200);
  t.is(login.headers['content-encoding'], undefined);
  const key = { name: 'key', scope: ACTIONS.flatMap((action) => [action, `${action}.own`]) };
  const made = await ask(`${anyone.url}/api/keys`, 'gzip', { method: 'POST', headers: { ...headers, ...json }, body: JSON.stringify(key) });
  t.is(made.status, 201, made.body.toString());
  t.true(made.body.length > 1_024);
  t.is(made.headers['content-encoding'], undefined);
  for (let i = 0; i < 6; i += 1) await signedIn(t.context);
  const sessions = await ask(`${anyone.url}/api/auth/sessions`, 'gzip', { headers });
  t.true(sessions.body.length > 1_024);
  t.is(sessions.headers['content-encoding'], undefined);
});

fullOnly(test)('the page of the interface is compressed once, has a name for each form, and fits the budget of a slow line', async (t) => {
  const { anyone } = t.context;
  const names = new Set<unknown>();
  let bytes = 0;
  for (const path of ['docs', 'docs/swagger-ui-bundle.js', 'docs/swagger-ui.css', 'docs/start.js', 'openapi.json']) {
    const url = `${anyone.url}/api/${path}`;
    const plain = await ask(url, 'identity');
    const br = await ask(url, 'gzip, br');
    t.is(br.headers['content-encoding'], 'br', path);
    t.deepEqual(brotliDecompressSync(br.body), plain.body, path);
    t.is(br.headers['content-length'], String(br.body.length), path);
    names.add(br.headers['etag']).add(plain.headers['etag']);
    const again = await ask(url, 'br', { headers: { 'if-none-match': String(br.headers['etag']) } });
    t.is(again.status, 304, path);
    t.regex(String(again.headers['vary']), /Accept-Encoding/, path);
    bytes += br.body.length;
  }
  t.is(names.size, 10);
  t.true(bytes < 520_000, `${bytes} bytes`);
  t.is((await ask(`${anyone.url}/api/docs/favicon-32x32.png`, 'br')).headers['content-encoding'], undefined);
});
