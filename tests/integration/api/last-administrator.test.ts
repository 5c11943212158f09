import { ApiClient } from '@sheaf/testkit';
import test from 'ava';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { conditionOf } from '../../support/error-condition.ts';
import { type RunningApi, startApi } from '../../support/running-api.ts';

const PASSWORD = 'correct horse battery';
const codeOf = (body: Record<string, unknown>): unknown => conditionOf(body);

const givenAccount = async ({ admin }: RunningApi, username: string, role: string): Promise<string> => {
  const { body } = await admin.post('/api/users', { username, email: `${username}@example.org`, password: PASSWORD, role });
  return String(body['id']);
};

const idOf = async (client: ApiClient): Promise<string> => String((await client.get('/api/auth/me')).body['id']);

test('the last active administrator can neither be demoted, disabled nor deleted', async (t) => {
  const api = await startApi();
  const path = `/api/users/${await idOf(api.admin)}`;
  const refused = async () => {
    for (const change of [{ role: 'editor' }, { disabled: true }]) {
      const { status, body } = await api.admin.send('PUT', path, change);
      t.deepEqual([status, codeOf(body)], [409, 'LAST_ADMINISTRATOR']);
    }
    const { status, body } = await api.admin.delete(path);
    t.deepEqual([status, codeOf(body)], [409, 'LAST_ADMINISTRATOR']);
  };
  await refused();
  const second = await givenAccount(api, 'second', 'admin');
  t.is((await api.admin.send('PUT', `/api/users/${second}`, { disabled: true })).status, 200);
  await refused(); // one who is disabled does not count
  const { body } = await api.admin.post('/api/users/import', [{ username: 'invited', email: 'invited@example.org', role: 'admin' }]);
  t.is(body['imported'], 1);
  await refused(); // nor one who cannot sign in yet
  t.is((await api.admin.send('PUT', path, { display_name: 'Still here', role: 'admin' })).status, 200);
  await api.admin.send('PUT', `/api/users/${second}`, { disabled: false });
  t.is((await api.admin.send('PUT', path, { role: 'editor' })).status, 200);
  await api.stop();
});

test('of two administrators who demote each other at once one stays', async (t) => {
  const api = await startApi();
  const first = await idOf(api.admin);
  const clients = new Map([[first, api.admin]]);
  for (let round = 0; round < 5; round += 1) {
    const name = `rival${round}`;
    const rival = await givenAccount(api, name, 'admin');
    clients.set(rival, await api.anyone.login(name));
    const answers = await Promise.all([
      api.admin.send('PUT', `/api/users/${rival}`, { role: 'viewer' }),
      (clients.get(rival) as ApiClient).send('PUT', `/api/users/${first}`, { disabled: true }),
    ]);
    const { rows } = await api.database.pool.query("select id from users where role = 'admin' and disabled_at is null");
    t.is(rows.length, 1, JSON.stringify(answers.map(({ status }) => status)));
    await api.database.pool.query("update users set role = case when id = $1 then 'admin' else 'viewer' end, disabled_at = null", [first]);
    const { body } = await api.anyone.post('/api/auth/login', { username: 'admin', password: PASSWORD });
    clients.set(first, new ApiClient(api.anyone.url, String(body['token'])));
    if ((await api.admin.get('/api/users')).status !== 200) break;
  }
  await api.stop();
});

test('who may manage users and not everything can give no more than they have, and change nobody above them', async (t) => {
  const api = await startApi();
  const boss = await idOf(api.admin);
  await givenAccount(api, 'manager', 'viewer');
  const editor = await givenAccount(api, 'editor', 'editor');
  const viewer = await givenAccount(api, 'viewer', 'viewer');
  await using limited = await startApiWithPermissions(api.database, {
    manager: ['users.*', 'documents.read', 'search.*', 'labels.read', 'ocr.read'],
    viewer: ['users.read.own', 'users.update.own'],
  });
  const manager = await new ApiClient(limited.url).login('manager');
  const status = async (id: string, change: Record<string, unknown>) => (await manager.send('PUT', `/api/users/${id}`, change)).status;
  t.is(await status(viewer, { display_name: 'V' }), 200);
  t.is(await status(viewer, { role: 'editor' }), 403);
  t.is(await status(await idOf(manager), { role: 'admin' }), 403);
  t.is(await status(boss, { email: 'mine@example.org' }), 403);
  t.is(await status(editor, { disabled: true }), 403);
  t.is((await manager.delete(`/api/users/${boss}`)).status, 403);
  const account = { username: 'x', email: 'x@example.org', password: PASSWORD };
  t.is((await manager.post('/api/users', { ...account, role: 'admin' })).status, 403);
  t.is((await manager.post('/api/users', { ...account, role: 'viewer' })).status, 201);

  const own = await new ApiClient(limited.url).login('viewer');
  const list = await own.get('/api/users');
  t.is((list.body['pagination'] as Record<string, unknown>)['total'], 1, 'a total tells of nobody else');
  t.is((await own.get(`/api/users/${boss}`)).status, 404);
  t.is((await own.send('PUT', `/api/users/${boss}`, { display_name: 'x' })).status, 404);
  t.is((await own.get('/api/users/admin@example.org/groups')).status, 404);
  t.is((await own.send('PUT', `/api/users/${viewer}`, { role: 'admin' })).status, 403);
  await api.stop();
});
