import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { fullOnly } from '../../support/full-run.ts';
import { bearer } from '../../support/person.ts';
import { startApi, testWithApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = testWithApi({ JSON_BODY_LIMIT_MB: '2' });
const MEGABYTE = 1024 * 1024;
const PASSWORD = 'correct horse battery';

const tokenOf = async ({ anyone }: { anyone: { post: (path: string, body: unknown) => Promise<{ body: Record<string, unknown> }> } }) =>
  bearer((await anyone.post('/api/auth/login', { username: 'admin', password: PASSWORD })).body['token']);

const fileOf = (text: string, field = 'file'): FormData => {
  const form = new FormData();
  form.append(field, new Blob([text], { type: 'application/json' }), 'users.json');
  return form;
};

const users = (count: number, prefix: string): unknown[] =>
  Array.from({ length: count }, (_, n) => ({ username: `${prefix}-${n}`, email: `${prefix}-${n}@example.org` }));

test('a body beyond JSON_BODY_LIMIT_MB is refused, as a body or as a file', async (t) => {
  const { admin, anyone } = t.context;
  const big = JSON.stringify([{ username: 'x', email: 'x@example.org', display_name: 'x'.repeat(2 * MEGABYTE) }]);
  const body = await admin.request('/api/users/import', { method: 'POST', headers: { 'content-type': 'application/json' }, body: big });
  t.is(body.status, 400);
  t.like(await body.json(), { error: { code: 'VALIDATION_ERROR', details: { limit_bytes: 2 * MEGABYTE } } });
  const headers = await tokenOf(t.context);
  const file = await anyone.request('/api/users/import', { method: 'POST', headers, body: fileOf(big) });
  t.is(file.status, 400);
  t.like(await file.json(), { error: { details: { reason: 'too_large', max_bytes: 2 * MEGABYTE } } });
  const stranger = await anyone.post('/api/auth/login', { username: 'admin', password: 'x'.repeat(MEGABYTE) });
  t.is(stranger.status, 400, 'who has not signed in may send less');
  t.like(stranger.body['error'], { details: { limit_bytes: MEGABYTE } });
});

test('users are imported out of a file of a form as out of a body', async (t) => {
  const { anyone, admin } = t.context;
  const headers = await tokenOf(t.context);
  const send = (body: FormData) => anyone.request('/api/users/import', { method: 'POST', headers, body });
  const imported = await send(fileOf(JSON.stringify({ users: users(3, 'filed') })));
  t.is(imported.status, 200);
  t.like(await imported.json(), { imported: 3, skipped: 0 });
  t.like((await admin.get('/api/users?q=filed-')).body['pagination'], { total: 3 });
  const broken = await send(fileOf('{"users": ['));
  t.is(broken.status, 400);
  const misplaced = await send(fileOf('[]', 'document'));
  t.is(misplaced.status, 400);
});

fullOnly(test)('10,000 users come in as one body, however long that takes', async (t) => {
  const api = await startApi({ REQUEST_TIMEOUT: '1' });
  try {
    // those that are wrong are as many lines and take no time
    const list = [...users(400, 'many'), ...Array.from({ length: 9_600 }, () => ({ username: 'no address' }))];
    const { status, body } = await api.admin.post('/api/users/import', list);
    t.true(status === 200 || status === 202);
    const ended = await waitFor(
      async () => {
        const { body: run } = await api.admin.get(`/api/users/imports/${String(body['id'])}`);
        return run['finished_at'] === null ? undefined : run;
      },
      { description: 'the import to end', limitMs: 120_000 },
    );
    t.like(ended, { state: 'completed', imported: 400, skipped: 9_600 });
    t.is((await api.admin.post('/api/users/import', [...list, {}])).status, 400, 'not one more');
  } finally {
    await api.stop();
  }
});

test('a connection on which nothing moves is not closed while users are imported', async (t) => {
  const { admin } = t.context;
  const limits: [path: string | undefined, idleLimitMs: number | undefined][] = [];
  const note = (message: unknown): void => {
    const { request } = message as { readonly request: IncomingMessage };
    if (request.headers['x-noted'] !== undefined) limits.push([request.url, request.socket.timeout]);
  };
  subscribe('http.server.response.finish', note);
  t.teardown(() => unsubscribe('http.server.response.finish', note));
  const headers = { 'content-type': 'application/json', 'x-noted': 'yes' };
  const imported = await admin.request('/api/users/import', { method: 'POST', headers, body: JSON.stringify(users(1, 'patient')) });
  t.is(imported.status, 200);
  await imported.body?.cancel();
  await (await admin.request('/api/labels', { headers })).body?.cancel();
  t.deepEqual(limits, [
    ['/api/users/import', 0],
    ['/api/labels', 120_000],
  ]);
});
