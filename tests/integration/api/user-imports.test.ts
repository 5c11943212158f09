// An import of users is stored work: it goes on without its request, creates each user once, and has the rights of its requester.

import { silentLogger } from '@sheaf/process';
import { ApiClient, isFullRun, openTestDatabase } from '@sheaf/testkit';
import { startComposedApi } from '../../support/composed-api.ts';
import { fullOnly } from '../../support/full-run.ts';
import { givenPerson } from '../../support/person.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

/** The request waits half a second for its import. */
const QUICK = { REQUEST_TIMEOUT: '1' };
const test = testWithApi(QUICK);
const PASSWORD = 'correct horse battery';
/** Hashing their passwords takes longer than that. */
const MANY = isFullRun ? 120 : 60;

const usersOf = (count: number, prefix: string, fields: object = {}) =>
  Array.from({ length: count }, (_, n) => ({ username: `${prefix}-${n}`, email: `${prefix}-${n}@example.org`, ...fields }));

interface Run extends Record<string, unknown> {
  readonly id: string;
  readonly done: number;
}

const pathOf = (id: unknown): string => `/api/users/imports/${String(id)}`;

const ended = (client: ApiClient, id: unknown): Promise<Run> =>
  waitFor(
    async () => {
      const { body } = await client.get(pathOf(id));
      return typeof body['finished_at'] === 'string' ? (body as Run) : undefined;
    },
    { description: 'the import to end', limitMs: 60_000 },
  );

const send = async (client: ApiClient, users: readonly object[]) => {
  const response = await client.request('/api/users/import', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(users),
  });
  return { response, body: (await response.json()) as Run };
};

const countOf = async ({ database }: Pick<RunningApi, 'database'>, statement: string, values: readonly unknown[]): Promise<number> =>
  (await database.pool.query<{ count: number }>(`select count(*)::int as count from ${statement}`, [...values])).rows[0]?.count ?? -1;

const madeOf = (api: Pick<RunningApi, 'database'>, prefix: string) => countOf(api, 'users where username like $1', [`${prefix}-%`]);

/** Somebody whose role has these permissions. */
const givenRole = async (api: RunningApi, name: string, permissions: readonly string[]) => {
  const { body } = await api.admin.get('/api/roles');
  const others = (body['roles'] as { name: string; permissions: string[] }[]).map((role) => ({
    name: role.name,
    permissions: role.permissions,
  }));
  const { status } = await api.admin.send('PUT', '/api/roles', { roles: [...others, { name, permissions }] });
  if (status !== 200) throw new Error(`the roles were answered with ${status}`);
  return givenPerson(api, name);
};

test.serial('a short import is answered with its result, which can be fetched again', async (t) => {
  const { admin } = t.context;
  const { response, body } = await send(admin, [...usersOf(1, 'short'), { username: 'short-0', email: 'else@example.org' }]);
  t.is(response.status, 200);
  t.like(body, { state: 'completed', total: 2, done: 2, imported: 1, skipped: 1 });
  const { invitations, ...result } = body;
  t.is((invitations as unknown[]).length, 1);
  t.deepEqual((await admin.get(pathOf(body.id))).body, result);
  const { errors: _, ...listed } = result;
  t.deepEqual((await admin.get('/api/users/imports')).body['data'], [listed]);
});

test.serial('a long import is answered with 202, and goes on; passwords are never stored in clear', async (t) => {
  const { admin, anyone, database } = t.context;
  const { response, body } = await send(admin, usersOf(MANY, 'long', { password: PASSWORD }));
  t.is(response.status, 202);
  t.is(response.headers.get('location'), pathOf(body.id));
  t.regex(response.headers.get('retry-after') ?? '', /^\d+$/);
  t.like(body, { total: MANY, invitations: [], finished_at: null });
  t.is(await countOf(t.context, "user_import_entries where sealed like '%correct%' or sealed like '%username%'", []), 0);
  t.like(await ended(admin, body.id), { state: 'completed', done: MANY, imported: MANY, skipped: 0 });
  t.is(await countOf({ database }, 'user_import_entries where import_id = $1 and sealed is not null', [body.id]), 0);
  t.is((await anyone.post('/api/auth/login', { username: `long-${MANY - 1}`, password: PASSWORD })).status, 200);
});

test.serial('an import whose process is lost is continued by another one, which repeats nothing', async (t) => {
  const { admin, database } = t.context;
  const { body } = await send(admin, usersOf(MANY, 'lost', { password: PASSWORD }));
  for (let turn = 0; turn < (isFullRun ? 5 : 2); turn += 1) {
    const { body: run } = await admin.get(pathOf(body.id));
    // as if another process had claimed it and was killed: the one that works on it now holds it no more
    await database.pool.query(
      "update user_imports set fence = fence + 1, lease_until = now() - interval '1 second' where id = $1 and finished_at is null",
      [body.id],
    );
    await waitFor(async () => Number((await admin.get(pathOf(body.id))).body['done']) > Number(run['done']), {
      description: 'the import to go on',
      limitMs: 20_000,
    });
  }
  t.like(await ended(admin, body.id), { state: 'completed', done: MANY, imported: MANY, skipped: 0 });
  t.is(await madeOf(t.context, 'lost'), MANY);
  t.is(await countOf(t.context, "audit_log where action = 'user.imported' and details->>'username' like $1", ['lost-%']), MANY);
});

fullOnly(test.serial)('an import goes on after a restart', async (t) => {
  await using database = await openTestDatabase();
  const environment = { ...QUICK, APP_SECRET_KEY: 'k'.repeat(48) };
  const first = await startComposedApi(database, environment, silentLogger());
  const admin = await new ApiClient(`http://127.0.0.1:${first.port}`).register('admin');
  const { response, body } = await send(admin, usersOf(MANY, 'restarted', { password: PASSWORD }));
  t.is(response.status, 202);
  await first.stop();
  t.true((await madeOf({ database }, 'restarted')) < MANY);
  const second = await startComposedApi(database, environment, silentLogger());
  const again = await new ApiClient(`http://127.0.0.1:${second.port}`).login('admin');
  t.like(await ended(again, body.id), { state: 'completed', imported: MANY, skipped: 0 });
  t.is(await madeOf({ database }, 'restarted'), MANY);
  await second.stop();
});

test.serial('a requester who may create users no more ends the import, which says so', async (t) => {
  const { admin } = t.context;
  const maker = await givenRole(t.context, 'maker', ['users.create', 'users.read', 'documents.read.own', 'labels.read', 'search.query']);
  const { response, body } = await send(maker.client, usersOf(MANY * 2, 'halted', { role: 'maker', password: PASSWORD }));
  t.is(response.status, 202);
  t.is((await admin.send('PATCH', `/api/users/${maker.id}`, { role: 'viewer' })).status, 200);
  const run = await ended(admin, body.id);
  t.like(run, { state: 'failed', error_code: 'requester_permission_lost' });
  t.true(run.done < MANY * 2);
  t.is(await madeOf(t.context, 'halted'), run.done);
  t.is(await countOf(t.context, 'user_import_entries where import_id = $1 and sealed is not null', [body.id]), 0);
});

test.serial('a role that is stronger than the requester is not given', async (t) => {
  const weak = await givenRole(t.context, 'weak', ['users.create']);
  const { body } = await send(weak.client, [{ username: 'strong', email: 'strong@example.org', role: 'admin' }]);
  t.like(body, { state: 'completed', imported: 0, skipped: 1, errors: [{ index: 0, details: { reason: 'role_too_strong' } }] });
});

test.serial('invitations of an import are created again, for whoever may have them', async (t) => {
  const { admin, anyone } = t.context;
  const accept = (token: unknown) => anyone.post('/api/auth/invitation', { token, password: PASSWORD });
  const tokensOf = (body: Record<string, unknown>) => (body['invitations'] as { token: string }[]).map(({ token }) => token);
  const { body } = await send(admin, usersOf(3, 'invited'));
  const path = `${pathOf(body.id)}/invitations`;
  const earlier = tokensOf(body);
  t.is((await accept(earlier[0])).status, 200);
  const again = await admin.post(path, {});
  t.is(again.status, 201);
  const later = tokensOf(again.body);
  t.is(later.length, 2, 'the one who has a password is not invited');
  t.is((await accept(earlier[1])).status, 401);
  t.is((await accept(later[0])).status, 200);

  const creator = await givenRole(t.context, 'creator', ['users.create']);
  t.is((await creator.client.get(pathOf(body.id))).status, 404);
  t.is((await creator.client.post(path, {})).status, 404);
  t.deepEqual((await creator.client.get('/api/users/imports')).body['data'], []);
  const { body: key } = await admin.post('/api/keys', { name: 'leaked', scope: ['users.create', 'users.update'] });
  const headers = { 'x-api-key': String(key['key']) };
  const byKey = await anyone.request(path, { method: 'POST', headers });
  t.is(byKey.status, 403);
  t.like(await byKey.json(), { error: { details: { reason: 'not_with_a_key' } } });

  const manager = await givenRole(t.context, 'manager', ['users.create', 'users.update']);
  const refused = await manager.client.post(path, {});
  t.like(refused.body, { invitations: [], errors: [{ index: 2, username: 'invited-2', details: { reason: 'user_too_strong' } }] });
  t.is((await accept(later[1])).status, 200, 'whose invitation stays');
});
