// What an import may do is what its requester may do, when it is requested and when it runs.

import { pbkdf2Sync } from 'node:crypto';
import type { ApiClient } from '@sheaf/testkit';
import { makeZip } from '../../fixtures/zip.ts';
import { fullOnly } from '../../support/full-run.ts';
import { givenPerson, type Headers } from '../../support/person.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = testWithApi();

const PASSWORD = 'Evil-Pass-12345';
/** What an import needs, and nothing else. */
const IMPORTING = ['users.update', 'documents.*', 'labels.*', 'settings.update', 'search.query'];

const userRecord = (pk: number, username: string, fields: object = {}) => ({
  model: 'auth.user',
  pk,
  fields: {
    username,
    email: `${username}@example.org`,
    password: `pbkdf2_sha256$1000$abc$${pbkdf2Sync(PASSWORD, 'abc', 1_000, 32, 'sha256').toString('base64')}`,
    is_active: true,
    is_superuser: false,
    ...fields,
  },
});

const exportOf = (records: readonly object[]): Blob => {
  const files = { 'manifest.json': JSON.stringify(records), 'metadata.json': JSON.stringify({ version: '2.13.5' }) };
  return new Blob([new Uint8Array(makeZip(Object.entries(files).map(([name, text]) => ({ name, text }))))]);
};

const send = async (
  client: ApiClient,
  records: readonly object[],
  headers: Headers = {},
  fields: Readonly<Record<string, string>> = {},
) => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ kind: 'paperless', name: `export-${crypto.randomUUID()}`, ...fields }))
    form.set(name, value);
  form.set('file', exportOf(records), 'export.zip');
  const response = await client.request('/api/imports', { method: 'POST', body: form, headers });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

interface Run extends Record<string, unknown> {
  readonly not_imported: readonly { readonly kind: string; readonly name: string }[];
}

const ended = (admin: ApiClient, id: unknown): Promise<Run> =>
  waitFor(
    async () => {
      const { body } = await admin.get(`/api/imports/${String(id)}`);
      return body['state'] === 'queued' || body['state'] === 'running' ? undefined : (body as Run);
    },
    { description: 'the import to end', limitMs: 60_000 },
  );

const signIn = ({ anyone }: RunningApi, username: string) => anyone.post('/api/auth/login', { username, password: PASSWORD });
const roleOf = async ({ database }: RunningApi, username: string): Promise<unknown> =>
  (await database.pool.query<{ role: string }>('select role from users where username = $1', [username])).rows[0]?.role;

/** Somebody whose role has these permissions. */
const givenImporter = async (api: RunningApi, name: string, permissions: readonly string[]) => {
  const { body } = await api.admin.get('/api/roles');
  const others = (body['roles'] as { name: string; permissions: string[] }[]).map((role) => ({
    name: role.name,
    permissions: role.permissions,
  }));
  const { status } = await api.admin.send('PUT', '/api/roles', { roles: [...others, { name, permissions }] });
  if (status !== 200) throw new Error(`the roles were answered with ${status}`);
  return givenPerson(api, name);
};

/** Keeps every import waiting until it is disposed of: one runs at a time. */
const holdImports = async ({ database }: RunningApi): Promise<AsyncDisposable> => {
  const id = crypto.randomUUID();
  await database.pool.query(
    `insert into imports (id, kind, source, state, path, lease_until) values ($1, 'folder', 'holding', 'running', '/', now() + interval '1 hour')`,
    [id],
  );
  return { [Symbol.asyncDispose]: async () => void (await database.pool.query('delete from imports where id = $1', [id])) };
};

test.serial('who may only manage users imports nothing, and a key no more than its scope says', async (t) => {
  const { admin, anyone } = t.context;
  const uma = await givenImporter(t.context, 'people', ['users.read', 'users.update', 'users.create']);
  const records = [userRecord(1, 'evilroot', { is_superuser: true })];
  t.is((await send(uma.client, records)).status, 403);
  const { body: key } = await admin.post('/api/keys', { name: 'leaked', scope: ['users.update'] });
  const refused = await send(anyone, records, { 'x-api-key': String(key['key']) });
  t.is(refused.status, 403);
  t.like(refused.body['error'], { details: { reason: 'permission_needed', permission: 'documents.read' } });
  t.is(await roleOf(t.context, 'evilroot'), undefined);
});

test.serial('users come over with no role stronger than that of the requester, and the report names them', async (t) => {
  const records = [userRecord(1, 'boss', { is_superuser: true }), userRecord(2, 'clerk')];
  const weak = await givenImporter(t.context, 'importer', [...IMPORTING, 'users.create', 'ocr.*']);
  const run = await ended(t.context.admin, (await send(weak.client, records)).body['id']);
  t.like(run, { state: 'completed', counts: { users: 2 } });
  t.deepEqual([await roleOf(t.context, 'boss'), await roleOf(t.context, 'clerk')], ['imported-editor', 'imported-viewer']);
  t.deepEqual(
    run.not_imported.filter(({ kind }) => kind === 'role').map(({ name }) => name),
    ['boss'],
  );
  t.like((await signIn(t.context, 'boss')).body['user'], { role: 'imported-editor' });
});

fullOnly(test.serial)(
  'a key with all that an import needs makes no administrator, and whoever may not create users makes none',
  async (t) => {
    const { admin, anyone } = t.context;
    const { body: key } = await admin.post('/api/keys', { name: 'importing', scope: [...IMPORTING, 'users.create'] });
    const byKey = await ended(
      admin,
      (await send(anyone, [userRecord(1, 'keyroot', { is_superuser: true })], { 'x-api-key': String(key['key']) })).body['id'],
    );
    t.like(byKey, { state: 'completed', counts: { users: 0 } });
    t.deepEqual(
      byKey.not_imported.map(({ kind, name }) => [kind, name]),
      [['user', 'keyroot']],
    );
    const without = await givenImporter(t.context, 'importer-only', IMPORTING);
    const run = await ended(admin, (await send(without.client, [userRecord(1, 'nobody-made')])).body['id']);
    t.like(run, { state: 'completed', counts: { users: 0 } });
    t.is(await roleOf(t.context, 'nobody-made'), undefined);
  },
);

test.serial('an administrator in a session imports administrators; nobody weaker writes in the name of one', async (t) => {
  const { admin, database } = t.context;
  const records = [userRecord(1, 'second-boss', { is_superuser: true })];
  const run = await ended(admin, (await send(admin, records)).body['id']);
  t.like(run, { state: 'completed', counts: { users: 1 } });
  t.like((await signIn(t.context, 'second-boss')).body['user'], { role: 'admin' });

  const weak = await givenImporter(t.context, 'importer-again', [...IMPORTING, 'users.create']);
  t.is((await send(weak.client, records, {}, { owner: 'second-boss' })).status, 403);
  const view = { model: 'documents.savedview', pk: 1, fields: { name: 'Planted', owner: 1, sort_field: 'created', sort_reverse: true } };
  const joined = await ended(admin, (await send(weak.client, [...records, view])).body['id']);
  t.like(joined, { state: 'completed', counts: { users: 0, saved_searches: 1 } });
  t.true(joined.not_imported.some(({ kind, name }) => kind === 'user' && name === 'second-boss'));
  const { rows } = await database.pool.query(`select owner_id from saved_searches where name = 'Planted'`);
  t.deepEqual(rows, [{ owner_id: weak.id }]);
});

fullOnly(test.serial)('an import that waits ends when its key is deleted, its user is disabled or a permission is lost', async (t) => {
  const { admin, anyone } = t.context;
  const role = [...IMPORTING, 'users.create'];
  const keyed = await givenPerson(t.context, 'admin');
  const key = await keyed.makeKey(role);
  const [gone, demoted] = [await givenImporter(t.context, 'leaving', role), await givenImporter(t.context, 'falling', role)];
  const ids: unknown[] = [];
  {
    await using _held = await holdImports(t.context);
    ids.push((await send(anyone, [userRecord(1, 'by-key')], key.headers)).body['id']);
    ids.push((await send(gone.client, [userRecord(1, 'by-gone')])).body['id']);
    ids.push((await send(demoted.client, [userRecord(1, 'by-demoted')], {}, { dry_run: 'true' })).body['id']);
    t.is((await keyed.client.send('DELETE', `/api/keys/${key.id}`, undefined)).status, 204);
    t.is((await admin.send('PUT', `/api/users/${gone.id}`, { disabled: true })).status, 200);
    t.is((await admin.send('PUT', `/api/users/${demoted.id}`, { role: 'editor' })).status, 200);
  }
  const runs = [];
  for (const id of ids) runs.push(await ended(admin, id));
  t.deepEqual(
    runs.map(({ state, error_code: code }) => [state, code]),
    [
      ['failed', 'requester_key_gone'],
      ['failed', 'requester_disabled'],
      ['failed', 'requester_permission_lost'],
    ],
  );
  t.regex(String(runs[0]?.['error']), /API key/);
  for (const name of ['by-key', 'by-gone', 'by-demoted']) t.is(await roleOf(t.context, name), undefined);
});
