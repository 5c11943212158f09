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
