// AUTH_ENABLED=false: whoever reaches the service is its administrator, but not every page that his browser opens.
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ AUTH_ENABLED: 'false' });

const pause = async (request: (path: string, init: RequestInit) => Promise<Response>, headers: Record<string, string>) =>
  (await request('/api/ocr/queue/pause', { method: 'POST', headers })).status;

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

test('programs and pages of its own do', async (t) => {
  const { anyone } = t.context;
  const request = (path: string, init: RequestInit) => anyone.request(path, init);
  t.is(await pause(request, {}), 200);
  t.is(await pause(request, { origin: anyone.url, 'sec-fetch-site': 'same-origin' }), 200);
});
