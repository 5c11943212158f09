import { makeLogger } from '@sheaf/process';
import test from 'ava';
import { keepLines } from '../../support/log-lines.ts';
import { startApi } from '../../support/running-api.ts';

test('what a request makes the api log carries its id, and no secret that the request brings', async (t) => {
  const lines = keepLines();
  const api = await startApi({}, makeLogger({ level: 'debug', format: 'json' }, 'api', lines.output));
  const token = (await api.anyone.post('/api/auth/login', { username: 'admin', password: 'correct horse battery' })).body['token'];
  const response = await api.anyone.request('/api/settings?token=in-the-address', {
    headers: { 'x-request-id': 'a-wrong-query', authorization: `Bearer ${String(token)}` },
  });
  t.is(response.status, 400);
  const refusal = await api.anyone.request('/api/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': 'a-refusal' },
    body: '{"username": "admin", "password": "wrong horse battery"}',
  });
  t.is(refusal.status, 401);
  await api.stop();
  const entries = lines.entries();
  const wordsOf = (id: string): string[] => entries.filter(({ request_id }) => request_id === id).map(({ msg }) => String(msg));
  t.deepEqual(wordsOf('a-refusal').toSorted(), ['request', 'sign-in rejected'], 'also of the parts that know nothing of requests');
  t.deepEqual(wordsOf('a-wrong-query'), ['request']);
  t.true(entries.filter(({ msg }) => msg === 'request').every(({ request_id }) => typeof request_id === 'string' && request_id !== ''));
  for (const secret of ['in-the-address', 'correct horse battery', 'wrong horse battery', String(token)])
    t.false(lines.text().includes(secret), secret);
});

test('no token is logged, wherever it stands in the address and however it is spelled', async (t) => {
  const lines = keepLines();
  const api = await startApi({ FEATURE_PAPERLESS_API: 'true' }, makeLogger({ level: 'debug', format: 'json' }, 'api', lines.output));
  const { body: document } = await api.admin.upload({ name: 'a.txt', bytes: new TextEncoder().encode('the paper that is shared') });
  const { body: share } = await api.admin.post(`/api/documents/${String(document['document_id'] ?? document['id'])}/shares`, {});
  const token = String(share['url']).split('/').at(-1) ?? '';
  t.is(token.length, 43);
  const encoded = token.replaceAll(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  const twice = encoded.replaceAll('%', '%25');
  const spellings = [
    '/s/T',
    '//s/T',
    '/S/T',
    '/s%2fT',
    '/s%2FT',
    '/s/T/',
    '/s/T)',
    '/api/v1/s/T',
    '/api/T',
    '/paperless/share/T',
    '/docs/T',
  ];
  for (const spelling of spellings)
    for (const written of [token, encoded, twice, token.slice(0, -2)])
      await (await api.anyone.request(spelling.replace('T', written), { redirect: 'manual' })).arrayBuffer();
  await (await api.anyone.request(`/api/nothing?next=/s/${token}`)).arrayBuffer();
  await api.stop();
  t.true(lines.text().includes('/s/***'));
  for (const secret of [token.slice(0, 20), encoded.slice(0, 60), twice.slice(0, 80)]) t.false(lines.text().includes(secret), secret);
});
