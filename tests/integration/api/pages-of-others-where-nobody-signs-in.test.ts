// AUTH_ENABLED=false: whoever reaches the service is its administrator, but not every page that their browser opens.
import { EventClient } from '../../support/event-client.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ AUTH_ENABLED: 'false', PUBLIC_URL: 'https://papers.example.org' });

const pause = async (request: (path: string, init: RequestInit) => Promise<Response>, headers: Record<string, string>) =>
  (await request('/api/ocr/queue/pause', { method: 'POST', headers })).status;

const portOf = ({ anyone }: RunningApi): number => Number(new URL(anyone.url).port);

const ask = (api: RunningApi, headers: Record<string, string>, path = '/api/documents', method = 'GET') =>
  rawRequest({ port: portOf(api), path, method, headers: { host: `localhost:${portOf(api)}`, ...headers } });

const reasonOf = (text: string): unknown => (JSON.parse(text) as { error: { details: { reason?: string } } }).error.details.reason;

test('a page of another site changes nothing, whatever kind of request it can make', async (t) => {
  const { anyone } = t.context;
  const request = (path: string, init: RequestInit) => anyone.request(path, init);
  t.is(await pause(request, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }), 403);
  t.is(await pause(request, { origin: 'https://evil.example' }), 403);
  t.is(await pause(request, { origin: 'null' }), 403);
  const form = new FormData();
  form.set('file', new Blob(['text'], { type: 'text/plain' }), 'a.txt');
  const upload = await anyone.request('/api/documents/upload', { method: 'POST', body: form, headers: { origin: 'https://evil.example' } });
  t.is(upload.status, 403);
});

test('a page of another site reads nothing either', async (t) => {
  const others = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost:1' }, // another program of this machine
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
  ];
  for (const headers of others) {
    for (const path of ['/api/documents', '/api/auth/config', '/status', '/api/nothing', '/socket.io/?EIO=4&transport=polling']) {
      for (const method of ['GET', 'HEAD', 'OPTIONS']) {
        const answer = await ask(t.context, headers, path, method);
        t.is(answer.status, 403, `${method} ${path} ${JSON.stringify(headers)}`);
        t.is(answer.headers['access-control-allow-origin'], undefined);
        if (method === 'GET') t.is(reasonOf(answer.text), 'foreign_page');
      }
    }
  }
});

test('a link on another site opens the client, which holds nothing, but no address of the interface', async (t) => {
  const visit = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: 'text/html' };
  t.not((await ask(t.context, visit, '/documents')).status, 403);
  t.is((await ask(t.context, visit, '/api/documents')).status, 403);
  t.is((await ask(t.context, { ...visit, 'sec-fetch-dest': 'iframe' }, '/documents')).status, 403);
});

test('a name that somebody else has led here (DNS rebinding) is refused on every method', async (t) => {
  const port = portOf(t.context);
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '192.0.2.1',
    '[2001:db8::1]',
  ]) {
    for (const method of ['GET', 'POST']) {
      const answer = await ask(t.context, { host, 'sec-fetch-site': 'same-origin', origin: `http://${host}` }, '/api/ocr/queue', method);
      t.is(answer.status, 403, `${method} ${host}`);
      t.is(reasonOf(answer.text), 'foreign_host');
    }
  }
});

test('this machine by each of its names, and PUBLIC_URL, are answered, and only for pages of the same name', async (t) => {
  const port = portOf(t.context);
  for (const host of [`localhost:${port}`, 'LOCALHOST', `127.0.0.1:${port}`, '127.1.2.3', `[::1]:${port}`, 'papers.example.org']) {
    t.is((await ask(t.context, { host })).status, 200, host);
    t.is((await ask(t.context, { host, origin: `http://${host.toLowerCase()}`, 'sec-fetch-site': 'same-origin' })).status, 200, host);
  }
  // a proxy that names the service by its own address
  t.is((await ask(t.context, { origin: 'https://papers.example.org' })).status, 200);
});

test('probes are answered under any name', async (t) => {
  for (const path of ['/health', '/ready']) t.is((await ask(t.context, { host: 'pod-7.internal' }, path)).status, 200, path);
});

test('connections for events obey the same rules', async (t) => {
  const { url } = t.context.anyone;
  for (const headers of [{ host: 'evil.example' }, { origin: 'http://localhost:1' }, { 'sec-fetch-site': 'same-site' }])
    t.deepEqual(await new EventClient(url, headers).whenRefused(), { status: 403, code: 'FORBIDDEN' });
});

test('no API key is made, which would outlast the mode', async (t) => {
  const { status, body } = await t.context.anyone.post('/api/keys', { name: 'for later', scope: ['*'] });
  t.is(status, 403);
  t.like(body['error'], { details: { reason: 'not_without_sign_in' } });
});

test('programs and pages of its own do', async (t) => {
  const { anyone } = t.context;
  const request = (path: string, init: RequestInit) => anyone.request(path, init);
  t.is(await pause(request, {}), 200);
  t.is(await pause(request, { origin: anyone.url, 'sec-fetch-site': 'same-origin' }), 200);
});
