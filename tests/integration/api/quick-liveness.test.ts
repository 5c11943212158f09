import { get, type IncomingMessage } from 'node:http';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ HEALTH_CHECK_PATH: '/livez', CORS_ENABLED: 'true' });

const ask = (url: string, headers: Record<string, string> = {}): Promise<{ response: IncomingMessage; body: string }> =>
  new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.once('end', () => resolve({ response, body }));
    }).once('error', reject);
  });

test('a plain probe is answered as the way through all checks answers it, with the same headers', async (t) => {
  const url = `${t.context.anyone.url}/livez`;
  const quick = await ask(url);
  const slow = await ask(url, { 'x-request-id': 'probe-1' }); // an id for the log takes the long way
  t.is(quick.body, slow.body);
  t.is(quick.response.statusCode, 200);
  const { date: _, 'x-request-id': made, ...headers } = quick.response.headers;
  const { date: __, 'x-request-id': given, ...others } = slow.response.headers;
  t.is(given, 'probe-1');
  t.regex(String(made), /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  t.deepEqual(headers, others);
});

test('what is no plain probe keeps its answers', async (t) => {
  const { url } = t.context.anyone;
  t.is((await ask(`${url}/livez?verbose=1`)).response.statusCode, 400);
  t.is((await ask(`${url}/livez/`)).response.statusCode, 200);
  t.is((await ask(`${url}/health`)).response.statusCode, 404, 'the path is that of the configuration');
  t.is((await fetch(`${url}/livez`, { method: 'HEAD' })).status, 200);
  t.is((await ask(`${url}/livez`, { origin: 'https://elsewhere.example' })).response.headers['access-control-allow-origin'], '*');
});

test('plain probes are counted with the others', async (t) => {
  const { url } = t.context.anyone;
  await ask(`${url}/livez`);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const [, count] = /^sheaf_http_requests_total\{[^}]*method="GET"[^}]*route="\/livez"[^}]*status="2xx"[^}]*\} (\d+)$/m.exec(metrics) ?? [];
  t.true(Number(count) >= 1, metrics);
});
