// The surface before the whole api, where the other tests of it have the surface alone.
import test from 'ava';
import { z } from 'zod';
import { startApi } from '../../support/running-api.ts';

const addressRows = z.array(z.object({ address: z.string().nullable() }));

test('guessing passwords ends before a password is looked at', async (t) => {
  const api = await startApi({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '6', RATE_LIMIT_BURST: '0', MAX_LOGIN_ATTEMPTS: '1000' });
  try {
    const statuses: number[] = [];
    // making the administrator and signing them in have had two
    for (let i = 0; i < 6; i += 1)
      statuses.push((await api.anyone.post('/api/auth/login', { username: 'admin', password: `guess ${i}` })).status);
    t.deepEqual(statuses, [401, 401, 401, 401, 429, 429]);
    t.is((await api.admin.get('/api/auth/me')).status, 200, 'who has signed in goes on');
    const { rows } = await api.database.pool.query(`select 1 from audit_log where action = 'sign_in' and outcome = 'failure'`);
    t.is(rows.length, 4);
  } finally {
    await api.stop();
  }
});

test('lies about the address reach neither the audit log, nor sessions, nor lockouts', async (t) => {
  const api = await startApi({ MAX_LOGIN_ATTEMPTS: '1000' });
  try {
    const lies = {
      'X-Forwarded-For': '198.51.100.7',
      'X-Real-IP': '198.51.100.7',
      Forwarded: 'for=198.51.100.7',
      'content-type': 'application/json',
    };
    for (const password of ['correct horse battery', 'wrong']) {
      const body = JSON.stringify({ username: 'admin', password });
      await (await api.anyone.request('/api/auth/login', { method: 'POST', headers: lies, body })).arrayBuffer();
    }
    const { rows } = await api.database.pool.query(
      `select address from audit_log union all select address from sessions union all
       select substring(subject from 9) from login_failures where subject like 'address:%'`,
    );
    const addresses = addressRows.parse(rows).map(({ address }) => address);
    t.true(addresses.length >= 4);
    t.deepEqual([...new Set(addresses)], ['127.0.0.1']);
  } finally {
    await api.stop();
  }
});

test('files and the page of the interface text keep the policies of their own', async (t) => {
  const api = await startApi();
  try {
    const { body } = await api.admin.upload({ name: 'note.txt', bytes: new TextEncoder().encode('a note') });
    const download = await api.admin.request(`/api/documents/${String(body['id'])}/download`);
    await download.arrayBuffer();
    t.regex(download.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/);
    t.is(download.headers.get('cache-control'), 'private, no-cache');
    const docs = await api.anyone.request('/api/docs');
    await docs.text();
    t.regex(docs.headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self'/);
    t.is(docs.headers.get('referrer-policy'), 'no-referrer');
    for (const { headers } of [download, docs]) t.is(headers.get('cross-origin-resource-policy'), 'same-origin');
    const list = await api.admin.get('/api/documents');
    t.is(list.headers.get('cache-control'), 'no-store');
  } finally {
    await api.stop();
  }
});
