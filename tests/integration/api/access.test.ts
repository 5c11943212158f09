import { describeRoutes, type Route } from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import { uuidv7 } from '@sheaf/process';
import type { ApiClient } from '@sheaf/testkit';
import { ENDPOINT_ACCESS } from '../../support/endpoint-access.ts';
import { compareWithTable, NO_DIFFERENCES, wrongRoles } from '../../support/endpoint-differences.ts';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi();
const { config } = loadConfig({ environment: {} });

const call = async (client: ApiClient, { method, path }: Route): Promise<number> => {
  const response = await client.request(path.replace('{id}', uuidv7()), { method: method.toUpperCase() });
  await response.arrayBuffer();
  return response.status;
};

test('every route lets in exactly those it is meant for', async (t) => {
  const routes = describeRoutes(config);
  t.deepEqual(compareWithTable(routes), NO_DIFFERENCES, 'change tests/support/endpoint-access.ts');
  const clients: Record<string, ApiClient> = { nobody: t.context.anyone, admin: t.context.admin };
  for (const role of ['viewer', 'editor', 'auditor'] as const) {
    await t.context.admin.post('/api/auth/register', {
      username: `a-${role}`,
      email: `${role}@example.org`,
      password: 'correct horse battery',
      role,
    });
    clients[role] = await t.context.anyone.login(`a-${role}`);
  }
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    for (const [who, client] of Object.entries(clients)) {
      // logging out would end the session that the other routes are called with
      const guest =
        name === 'post /api/auth/logout' && who !== 'nobody'
          ? await t.context.anyone.login(who === 'admin' ? 'admin' : `a-${who}`)
          : client;
      const status = await call(guest, route);
      const isIn = (ENDPOINT_ACCESS[name] as readonly string[]).includes(who);
      const what = [`${name} for ${who}: ${status}`, ...wrongRoles(route)].join('\n');
      if (isIn) t.false([401, 403].includes(status), what);
      else t.is(status, who === 'nobody' ? 401 : 403, what);
    }
  }
});

test('endpoints let in whom the permissions of the roles say', (t) => {
  t.deepEqual(describeRoutes(config).flatMap(wrongRoles), []);
});

test('a document of another owner is gone for who may read only their own, and may not be deleted by who may delete only their own', async (t) => {
  const { admin, anyone } = t.context;
  await admin.post('/api/auth/register', {
    username: 'erin',
    email: 'erin@example.org',
    password: 'correct horse battery',
    role: 'editor',
  });
  const erin = await anyone.login('erin');
  const { body } = await admin.upload({ name: 'of-admin.txt', bytes: new TextEncoder().encode('the words of the administrator') });
  const id = String(body['id']);
  t.is((await erin.get(`/api/documents/${id}`)).status, 200);
  t.is((await erin.delete(`/api/documents/${id}`)).status, 403);
  t.is((await admin.get(`/api/documents/${id}`)).status, 200);
  t.is((await admin.delete(`/api/documents/${id}`)).status, 204);
  t.is((await erin.get(`/api/documents/${id}`)).status, 404);
});
