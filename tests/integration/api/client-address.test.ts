import { request } from 'node:http';
import test from 'ava';
import { type Surface, startSurface } from '../../support/surface.ts';

const addressSeen = async (api: Surface, headers: Readonly<Record<string, string>> = {}): Promise<unknown> =>
  ((await (await api.get('/api/address', headers)).json()) as { address?: string }).address;

const LIES = {
  'X-Forwarded-For': '198.51.100.7',
  'X-Real-IP': '198.51.100.7',
  'X-Client-IP': '198.51.100.7',
  'CF-Connecting-IP': '198.51.100.7',
  'True-Client-IP': '198.51.100.7',
  Forwarded: 'for=198.51.100.7',
};

test('without proxies a client is where its connection comes from, whatever it says', async (t) => {
  await using api = await startSurface();
  t.is(await addressSeen(api, LIES), '127.0.0.1');
});

test('behind proxies the address that the outermost one saw counts, and what the client wrote before it does not', async (t) => {
  await using one = await startSurface({ PROXY_COUNT: '1' });
  t.is(await addressSeen(one, { 'X-Forwarded-For': '198.51.100.7, 203.0.113.9' }), '203.0.113.9');
  t.is(await addressSeen(one), '127.0.0.1');
  await using two = await startSurface({ PROXY_COUNT: '2' });
  t.is(await addressSeen(two, { 'X-Forwarded-For': '198.51.100.7, 203.0.113.9, 10.0.0.5' }), '203.0.113.9');
  const { 'X-Forwarded-For': _, ...otherLies } = LIES;
  t.is(await addressSeen(two, otherLies), '127.0.0.1');
});

test('with named proxies the last address that is none of them counts', async (t) => {
  await using api = await startSurface({ TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' });
  t.is(await addressSeen(api, { 'X-Forwarded-For': '198.51.100.7, 203.0.113.9, 10.0.0.5' }), '203.0.113.9');
  t.is(await addressSeen(api, { 'X-Forwarded-For': '198.51.100.7' }), '198.51.100.7');
  await using elsewhere = await startSurface({ TRUSTED_PROXIES: '10.0.0.0/8' });
  t.is(await addressSeen(elsewhere, LIES), '127.0.0.1', 'a connection from elsewhere is no proxy');
});

test('what a proxy passes on and is no address is not taken for one', async (t) => {
  await using api = await startSurface({ PROXY_COUNT: '1' });
  for (const text of ['unknown', "'; drop table users; --", '999.1.1.1', '_hidden'])
    t.is(await addressSeen(api, { 'X-Forwarded-For': text }), '127.0.0.1', text);
  t.is(await addressSeen(api, { 'X-Forwarded-For': '203.0.113.9:4711' }), '203.0.113.9');
  t.is(await addressSeen(api, { 'X-Forwarded-For': '::ffff:203.0.113.9' }), '203.0.113.9');
});

test('lies about the address open no new account of requests', async (t) => {
  await using api = await startSurface({ RATE_LIMIT_PER_MINUTE: '3', RATE_LIMIT_BURST: '0' });
  const statuses: number[] = [];
  for (let i = 1; i <= 5; i += 1) {
    const headers = Object.fromEntries(Object.keys(LIES).map((name) => [name, `198.51.100.${i}`]));
    statuses.push((await api.get('/api/open', headers)).status);
  }
  t.deepEqual(statuses, [200, 200, 200, 429, 429]);
});

test('the name of the host in the request is not believed: nothing that is answered carries it', async (t) => {
  await using api = await startSurface();
  const headers = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', Origin: 'https://evil.example' };
  for (const path of ['/api/open', '/api/own', '/api/nothing', '/page']) {
    const whole = await new Promise<string>((resolve, reject) => {
      const call = request({ host: '127.0.0.1', port: api.port, path, headers }, (response) => {
        const parts: string[] = [JSON.stringify(response.rawHeaders)];
        response.setEncoding('utf8').on('data', (part: string) => parts.push(part));
        response.once('end', () => resolve(parts.join('')));
      });
      call.once('error', reject).end();
    });
    t.notRegex(whole, /evil\.example/, path);
  }
});
