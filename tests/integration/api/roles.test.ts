import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordEvents } from '@sheaf/events';
import { silentLogger } from '@sheaf/process';
import { type Answer, ApiClient } from '@sheaf/testkit';
import { BUILT_IN_ROLES } from '@sheaf/vocabulary/permissions';
import { startComposedApi } from '../../support/composed-api.ts';
import { openEventClient } from '../../support/event-client.ts';
import { bearer, givenPerson } from '../../support/person.ts';
import { startApi, testWithApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

// the roles are those of all
const test = testWithApi();

interface Role {
  readonly name: string;
  readonly permissions: readonly string[];
  readonly [field: string]: unknown;
}

const rolesOf = async (client: ApiClient): Promise<Role[]> => (await client.get('/api/roles')).body['roles'] as Role[];
const put = (client: ApiClient, roles: readonly object[]): Promise<Answer> => client.send('PUT', '/api/roles', { roles });
const issuesOf = ({ body }: Answer): [path: string, code: string][] =>
  (body['error'] as { details: { issues: { path: string; code: string }[] } }).details.issues.map(({ path, code }) => [path, code]);
const reasonOf = ({ body }: Answer): unknown => (body['error'] as { details: { reason?: unknown } }).details.reason;

/** All roles, with these permissions for one of them. */
const withRole = async (client: ApiClient, name: string, permissions: readonly string[]): Promise<object[]> => {
  const others = (await rolesOf(client)).filter((role) => role.name !== name);
  return [...others.map((role) => ({ name: role.name, permissions: role.permissions })), { name, permissions }];
};

test.serial('roles are listed, changed, added and removed, and what is sent back unchanged changes nothing', async (t) => {
  const { admin } = t.context;
  const { status, body } = await admin.get('/api/roles');
  t.is(status, 200);
  t.true(body['is_editable']);
  const permissions = body['permissions'] as string[];
  for (const permission of ['*', 'documents.*', 'documents.read', 'documents.read.own', 'audit.view'])
    t.true(permissions.includes(permission));
  const editor = { name: 'editor', is_built_in: true, is_changed: false, permissions: [...BUILT_IN_ROLES.editor], user_count: 0 };
  t.deepEqual(
    (body['roles'] as Role[]).find(({ name }) => name === 'editor'),
    editor,
  );
  t.is((body['roles'] as Role[]).find(({ name }) => name === 'admin')?.['user_count'], 1);
  const same = await admin.send('PUT', '/api/roles', body);
  t.deepEqual([same.status, same.body], [200, body]);

  const added = await put(admin, await withRole(admin, 'clerk', ['documents.read', 'documents.read', 'labels.*']));
  t.is(added.status, 200);
  const clerk = { name: 'clerk', is_built_in: false, is_changed: false, permissions: ['documents.read', 'labels.*'], user_count: 0 };
  t.deepEqual(
    (await rolesOf(admin)).find(({ name }) => name === 'clerk'),
    clerk,
  );
  await put(admin, await withRole(admin, 'editor', ['documents.read']));
  t.like(
    (await rolesOf(admin)).find(({ name }) => name === 'editor'),
    { is_changed: true, permissions: ['documents.read'] },
  );
  await put(admin, await withRole(admin, 'editor', BUILT_IN_ROLES.editor));
  t.deepEqual(
    (await rolesOf(admin)).find(({ name }) => name === 'editor'),
    editor,
  );
  t.is((await t.context.database.pool.query("select from roles where name = 'editor'")).rowCount, 0, 'an upgrade may change it');
  t.is(
    (
      await put(
        admin,
        (await rolesOf(admin)).filter(({ name }) => name !== 'clerk'),
      )
    ).status,
    200,
  );
  t.false((await rolesOf(admin)).some(({ name }) => name === 'clerk'));

  const { data } = (await admin.get('/api/audit?per_page=100')).body as { data: Record<string, unknown>[] };
  t.deepEqual(
    data
      .filter(({ action }) => String(action).startsWith('role.'))
      .map(({ action, subject, details }) => [action, (subject as { id: string }).id, details]),
    [
      ['role.deleted', 'clerk', { old: clerk.permissions, new: null }],
      ['role.changed', 'editor', { old: ['documents.read'], new: [...BUILT_IN_ROLES.editor] }],
      ['role.changed', 'editor', { old: [...BUILT_IN_ROLES.editor], new: ['documents.read'] }],
      ['role.created', 'clerk', { old: null, new: clerk.permissions }],
    ],
  );
});

test.serial('what is not valid is refused with its field, and nothing changes', async (t) => {
  const { admin } = t.context;
  const all = await rolesOf(admin);
  const refused = async (roles: readonly object[]): Promise<[string, string][]> => {
    const answer = await put(admin, roles);
    t.is(answer.status, 400, JSON.stringify(answer.body));
    return issuesOf(answer);
  };
  t.deepEqual(await refused([...all, { name: 'clerk', permissions: ['documents.reed'] }]), [
    ['roles.4.permissions.0', 'no_such_permission'],
  ]);
  t.deepEqual(await refused([...all, { name: 'a clerk', permissions: [] }]), [['roles.4.name', 'not_role_name']]);
  t.deepEqual(await refused([...all, { name: 'Viewer', permissions: [] }]), [['roles.4.name', 'role_twice']]);
  t.deepEqual(await refused([...all, { name: 'chief', permissions: ['*'] }]), [['roles.4.permissions', 'all_for_admin_only']]);
  t.deepEqual(await refused(all.map((role) => (role.name === 'admin' ? { ...role, permissions: ['users.*'] } : role))), [
    ['roles.0.permissions', 'admin_keeps_all'],
  ]);
  t.deepEqual(await refused(all.slice(0, 2)), [['roles', 'built_in_role_missing']]);
  t.is(
    (
      await put(
        admin,
        all.map((role) => ({ ...role, user_count: 7 })),
      )
    ).status,
    200,
    'read-only fields are ignored',
  );
  t.deepEqual(await rolesOf(admin), all);
});

test.serial('a role that users have stays', async (t) => {
  const { admin } = t.context;
  const without = await rolesOf(admin);
  await put(admin, await withRole(admin, 'clerk', ['documents.read']));
  const person = await givenPerson(t.context, 'clerk');
  const answer = await put(admin, without);
  t.deepEqual([answer.status, reasonOf(answer)], [409, 'role_in_use']);
  t.is((await rolesOf(admin)).find(({ name }) => name === 'clerk')?.['user_count'], 1);
  await admin.send('PUT', `/api/users/${person.id}`, { role: 'viewer' });
  t.is(
    (
      await put(
        admin,
        (await rolesOf(admin)).filter(({ name }) => name !== 'clerk'),
      )
    ).status,
    200,
  );
  t.is((await admin.send('PUT', `/api/users/${person.id}`, { role: 'clerk' })).status, 400, 'and then nobody gets it');
});

test.serial('only administrators who are signed in change roles, whatever else somebody may do', async (t) => {
  const { admin, anyone } = t.context;
  await put(admin, await withRole(admin, 'helpdesk', ['users.*', 'keys.*', 'settings.*', 'system.*']));
  const { client } = await givenPerson(t.context, 'helpdesk');
  t.is((await client.get('/api/roles')).status, 200);
  const given = await withRole(admin, 'helpdesk', ['documents.*', 'users.*']);
  t.is((await put(client, given)).status, 403);
  t.is((await client.send('PUT', '/api/roles', { ...(await client.get('/api/roles')).body, roles: given })).status, 403);
  const master = await givenPerson(t.context, 'admin');
  const { headers } = await master.makeKey(['*', 'users.update', 'users.read']);
  const byKey = await anyone.request('/api/roles', {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ roles: given }),
  });
  t.is(byKey.status, 403);
  t.is((await put((await givenPerson(t.context, 'viewer')).client, given)).status, 403);
});

test.serial('a change holds for who is signed in, by token, cookie and key, at every api, and for open connections', async (t) => {
  const { admin, database } = t.context;
  await put(admin, await withRole(admin, 'clerk', ['labels.*', 'system.read', 'keys.*']));
  const person = await givenPerson(t.context, 'clerk');
  const key = await person.makeKey(['labels.read']);
  const { cookie } = await person.openBrowser();
  const { port, stop } = await startComposedApi(
    database,
    { SESSION_SECRET: 's'.repeat(40), APP_SECRET_KEY: 'a'.repeat(40) },
    silentLogger(),
  );
  try {
    const other = new ApiClient(`http://127.0.0.1:${port}`);
    const here = t.context.anyone;
    const statuses = async (api: ApiClient): Promise<number[]> => {
      const credentials = api === here ? [bearer(person.token), { cookie }, key.headers] : [key.headers];
      return Promise.all(credentials.map(async (headers) => (await api.request('/api/labels', { headers })).status));
    };
    t.deepEqual(await statuses(here), [200, 200, 200]);
    t.deepEqual(await statuses(other), [200]);
    await using client = await openEventClient(here.url, person.token, ['alert']);
    const { body: login } = await here.post('/api/auth/login', { username: 'admin', password: 'correct horse battery' });
    await using witness = await openEventClient(here.url, String(login['token']), ['alert']);
    const alert = (component: string): Promise<unknown> =>
      database.db.transaction((tx) =>
        recordEvents(tx, [{ event: { type: 'alert', level: 'info', component, message: 'm', problems: [] }, ownerId: null }]),
      );
    await alert('before');
    await client.eventsUntil(({ component }) => component === 'before');

    t.is((await put(admin, await withRole(admin, 'clerk', ['keys.*']))).status, 200);
    t.deepEqual(await statuses(here), [403, 403, 403], 'at once where it was changed');
    await waitFor(async () => (await statuses(other)).every((status) => status === 403), {
      description: 'the other api to know',
      limitMs: 10_000, // it would forget by itself after 30 s
    });
    // what is held while the permission is gone would be delivered once it is back
    await alert('without');
    await witness.eventsUntil(({ component }) => component === 'without');
    await put(admin, await withRole(admin, 'clerk', ['system.read']));
    await waitFor(
      async () => {
        await alert('again');
        return client.events.some(({ component }) => component === 'again');
      },
      { description: 'an event with the permission again', limitMs: 20_000 },
    );
    t.false(client.events.some(({ component }) => component === 'without'));
  } finally {
    await stop();
  }
});

test.serial('where ROLES_FILE is set, it holds, and nothing can be changed', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-roles-'));
  const path = join(folder.path, 'roles.yml');
  await writeFile(path, 'roles:\n  viewer: {permissions: [labels.read]}\n  clerk: {permissions: [documents.read]}\n');
  const api = await startApi({ ROLES_FILE: path });
  try {
    await api.database.pool.query(`insert into roles (name, permissions) values ('viewer', '{documents.*}'), ('ghost', '{users.*}')`);
    const { body } = await api.admin.get('/api/roles');
    t.false(body['is_editable']);
    t.deepEqual(
      (body['roles'] as Role[]).map(({ name, permissions, is_changed: isChanged }) => [name, permissions, isChanged]),
      [
        ['admin', ['*'], false],
        ['editor', [...BUILT_IN_ROLES.editor], false],
        ['viewer', ['labels.read'], true],
        ['auditor', [...BUILT_IN_ROLES.auditor], false],
        ['clerk', ['documents.read'], false],
      ],
    );
    const answer = await api.admin.send('PUT', '/api/roles', body);
    t.deepEqual([answer.status, reasonOf(answer)], [409, 'roles_from_file']);
    t.regex(JSON.stringify(answer.body), /ROLES_FILE/);
    t.is((await (await givenPerson(api, 'viewer')).client.get('/api/documents')).status, 403);
  } finally {
    await api.stop();
  }
});
