import { givenDocument, givenUser } from '@sheaf/testkit';
import { conditionOf } from '../../support/error-condition.ts';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi();
const PASSWORD = 'correct horse battery';

const account = (username: string, extra: Record<string, unknown> = {}) => ({
  username,
  email: `${username}@example.org`,
  password: PASSWORD,
  role: 'viewer',
  ...extra,
});

const codeOf = (body: Record<string, unknown>): unknown => conditionOf(body);
const detailsOf = (body: Record<string, unknown>): Record<string, unknown> =>
  (body['error'] as Record<string, unknown>)['details'] as Record<string, unknown>;
const namesOf = (body: Record<string, unknown>): unknown[] => (body['data'] as Record<string, unknown>[]).map((user) => user['username']);

test('a user is made, read, changed and deleted', async (t) => {
  const { admin } = t.context;
  const made = await admin.post('/api/users', account('carol', { display_name: 'Carol C.' }));
  t.is(made.status, 201);
  const { id } = made.body;
  t.deepEqual(Object.keys(made.body).toSorted(), ['created_at', 'display_name', 'email', 'id', 'role', 'username']);
  t.like((await admin.get(`/api/users/${String(id)}`)).body, { username: 'carol', disabled: false, auth_method: 'local' });
  const changed = await admin.send('PUT', `/api/users/${String(id)}`, { email: 'c@example.org', display_name: null });
  t.like(changed.body, { email: 'c@example.org', display_name: null, role: 'viewer', username: 'carol' });
  t.like((await admin.send('PATCH', `/api/users/${String(id)}`, { role: 'editor' })).body, { role: 'editor' });
  t.is((await admin.delete(`/api/users/${String(id)}`)).status, 204);
  const gone = await admin.get(`/api/users/${String(id)}`);
  t.is(gone.status, 404);
  t.is(codeOf(gone.body), 'USER_NOT_FOUND');
  t.is((await admin.delete(`/api/users/${String(id)}`)).status, 404);
  t.is((await admin.send('PUT', `/api/users/${String(id)}`, { role: 'viewer' })).status, 404);
  t.is((await admin.get('/api/users/nonsense')).status, 404);
});

test('names and addresses are unique whatever their case, and a role has to exist', async (t) => {
  const { admin } = t.context;
  t.is((await admin.post('/api/users', account('unique'))).status, 201);
  t.is((await admin.post('/api/users', account('UNIQUE', { email: 'other@example.org' }))).status, 409);
  t.is((await admin.post('/api/users', account('unique2', { email: 'Unique@Example.org' }))).status, 409);
  const { status, body } = await admin.post('/api/users', account('kingly', { role: 'king' }));
  t.is(status, 400);
  t.regex(JSON.stringify(detailsOf(body)), /admin, editor, viewer, auditor/);
  const other = await admin.post('/api/users', account('unique3'));
  t.is((await admin.send('PUT', `/api/users/${String(other.body['id'])}`, { email: 'UNIQUE@example.org' })).status, 409);
  t.is((await admin.send('PUT', `/api/users/${String(other.body['id'])}`, { role: 'king' })).status, 400);
});

test('fields that are not for the caller to set are ignored where GET answers them, and refused otherwise', async (t) => {
  const { admin, anyone } = t.context;
  await admin.post('/api/users', account('masser'));
  const masser = await anyone.login('masser');
  for (const extra of [{ owner_id: 'x' }, { disabled: false }, { password_hash: 'x' }])
    t.is((await masser.send('PUT', '/api/users/profile', { display_name: 'M', ...extra })).status, 400, JSON.stringify(extra));
  const { body: before } = await masser.get('/api/users/profile');
  t.is(before['display_name'], null);
  for (const extra of [{ id: '01890000-0000-7000-8000-000000000000' }, { role: 'admin' }, { username: 'x' }])
    t.is((await masser.send('PUT', '/api/users/profile', { display_name: 'M', ...extra })).status, 200, JSON.stringify(extra));
  t.deepEqual((await masser.get('/api/users/profile')).body, { ...before, display_name: 'M' });
  for (const extra of [
    { id: '01890000-0000-7000-8000-000000000000' },
    { password_hash: 'x' },
    { auth_method: 'ldap' },
    { email_verified: true },
  ])
    t.is((await admin.post('/api/users', account('masser2', extra))).status, 400, JSON.stringify(extra));
  for (const extra of [{ role: ['admin'] }, { email: null }, { role: { $ne: '' } }, { email: ['a@b.c'] }])
    t.is((await admin.post('/api/users', account('masser3', extra))).status, 400, JSON.stringify(extra));
});

test('the list pages, sorts, searches and filters', async (t) => {
  const { admin } = t.context;
  for (const name of ['lister-b', 'LISTER-A', 'lister-c']) await admin.post('/api/users', account(name, { role: 'auditor' }));
  const sorted = await admin.get('/api/users?q=lister&sort=username&order=desc');
  t.deepEqual(namesOf(sorted.body), ['lister-c', 'lister-b', 'LISTER-A']);
  const second = await admin.get('/api/users?q=LISTER-&sort=username&order=asc&per_page=2&page=2');
  t.deepEqual(namesOf(second.body), ['lister-c']);
  t.like(second.body['pagination'], { page: 2, per_page: 2, total: 3, total_pages: 2, has_next: false, has_prev: true });
  t.deepEqual(namesOf((await admin.get('/api/users?role=auditor&sort=email&order=asc')).body), ['LISTER-A', 'lister-b', 'lister-c']);
  t.deepEqual(namesOf((await admin.get('/api/users?q=%25')).body), [], 'a percent sign is a letter like others');
  t.is((await admin.get('/api/users?sort=password_hash')).status, 400);
  t.is((await admin.get('/api/users?q=%00')).status, 400);
  t.false(JSON.stringify(sorted.body).includes('argon2'));
});

test('who is disabled is out at once, and stays out of their old session when they are enabled again', async (t) => {
  const { admin, anyone } = t.context;
  const { body } = await admin.post('/api/users', account('disabled'));
  const client = await anyone.login('disabled');
  t.is((await admin.send('PUT', `/api/users/${String(body['id'])}`, { disabled: true })).body['disabled'], true);
  t.is((await client.get('/api/auth/me')).status, 401);
  t.is((await anyone.post('/api/auth/login', { username: 'disabled', password: PASSWORD })).status, 401);
  await admin.send('PUT', `/api/users/${String(body['id'])}`, { disabled: false });
  t.is((await client.get('/api/auth/me')).status, 401);
  t.is((await anyone.post('/api/auth/login', { username: 'disabled', password: PASSWORD })).status, 200);
});

test('a change of role takes effect on the next request', async (t) => {
  const { admin, anyone } = t.context;
  const { body } = await admin.post('/api/users', account('riser', { role: 'admin' }));
  const client = await anyone.login('riser');
  t.is((await client.get('/api/users')).status, 200);
  t.is((await admin.send('PUT', `/api/users/${String(body['id'])}`, { role: 'viewer' })).status, 200);
  t.is((await client.get('/api/users')).status, 403);
});

test('a user with documents is deleted only when another one gets them', async (t) => {
  const { admin, anyone, database } = t.context;
  const [from, to] = [await givenUser(database.db, { role: 'editor' }), await givenUser(database.db, { role: 'editor' })];
  const document = await givenDocument(database.db, { ownerId: from.id });
  const label = (await admin.post('/api/labels', { name: 'of-the-leaver' })).body;
  await database.pool.query('update labels set created_by = $1 where id = $2', [from.id, label['id']]);
  const refused = await admin.delete(`/api/users/${from.id}`);
  t.is(refused.status, 409);
  t.is(codeOf(refused.body), 'USER_OWNS_DOCUMENTS');
  t.is(detailsOf(refused.body)['documents'], 1);

  const twin = await givenDocument(database.db, { ownerId: to.id, sha256: document.sha256 });
  const duplicate = await admin.delete(`/api/users/${from.id}?transfer_to=${to.id}`);
  t.is(codeOf(duplicate.body), 'DOCUMENTS_ARE_DUPLICATES');
  t.is(detailsOf(duplicate.body)['documents'], 1);
  t.is((await admin.document(document.id)).id, document.id);
  await database.pool.query('delete from documents where id = $1', [twin.id]);

  t.is((await admin.delete(`/api/users/${from.id}?transfer_to=${from.id}`)).status, 400);
  t.is((await admin.delete(`/api/users/${from.id}?transfer_to=01890000-0000-7000-8000-000000000000`)).status, 404);
  t.is((await admin.delete(`/api/users/${from.id}?transfer_to=${to.id}`)).status, 204);
  t.is((await admin.get(`/api/documents/${document.id}`)).body['owner_id'], to.id);
  t.is((await admin.get(`/api/labels/${String(label['id'])}`)).body['created_by'], null);
  const { rows } = await database.pool.query(
    'select coalesce(sum(documents), 0)::int as total from document_tally_deltas where label_id is null and owner_id = $1',
    [from.id],
  );
  t.is((rows[0] as { total: number }).total, 0, 'the tallies followed');
  t.is((await anyone.post('/api/auth/login', { username: from.username, password: PASSWORD })).status, 401);
});

test('an import takes what is good, tells what is not, and invites those without a password', async (t) => {
  const { admin, anyone } = t.context;
  const users = [
    { username: 'imp-a', email: 'imp-a@example.org', role: 'editor', password: PASSWORD },
    { username: 'imp-b', email: 'imp-b@example.org', role: 'viewer', display_name: 'B' },
    { username: 'IMP-A', email: 'other-a@example.org', role: 'viewer' },
    { username: 'imp c', email: 'imp-c@example.org', role: 'viewer' },
    { username: 'imp-d', email: 'imp-d@example.org', role: 'king' },
    { username: 'imp-e', email: 'imp-e@example.org', role: 'viewer', password: 'short' },
    { username: 'imp-f', email: 'imp-f@example.org', role: 'viewer', id: 'x' },
    'nonsense',
  ];
  const { status, body } = await admin.post('/api/users/import', { users });
  t.is(status, 200);
  t.like(body, { imported: 2, skipped: 6 });
  const errors = body['errors'] as { index: number; username: string | null; error: string }[];
  t.deepEqual(
    errors.map(({ index, username }) => [index, username]),
    [
      [2, 'IMP-A'],
      [3, 'imp c'],
      [4, 'imp-d'],
      [5, 'imp-e'],
      [6, 'imp-f'],
      [7, null],
    ],
  );
  t.is((await (await anyone.login('imp-a')).get('/api/auth/me')).body['role'], 'editor');

  const [invitation, ...others] = body['invitations'] as { username: string; token: string }[];
  t.deepEqual([invitation?.username, others.length], ['imp-b', 0]);
  const accept = (token: unknown, password: string) => anyone.post('/api/auth/invitation', { token, password });
  t.is((await accept(invitation?.token, 'short')).status, 400, 'which does not use it up');
  t.is((await accept('x'.repeat(43), PASSWORD)).status, 401);
  const answers = await Promise.all([accept(invitation?.token, PASSWORD), accept(invitation?.token, `${PASSWORD} 2`)]);
  t.deepEqual(
    answers.map((answer) => answer.status).toSorted((a, b) => a - b),
    [200, 401],
  );
  t.is((await accept(invitation?.token, PASSWORD)).status, 401);
});

test('an import may be a bare array, of ten thousand at most', async (t) => {
  const { admin } = t.context;
  const bare = await admin.post('/api/users/import', [{ username: 'bare', email: 'bare@example.org', role: 'viewer' }]);
  t.like(bare.body, { imported: 1, skipped: 0, errors: [] });
  t.is(
    (
      await admin.post(
        '/api/users/import',
        Array.from({ length: 10_001 }, () => 0),
      )
    ).status,
    400,
  );
  t.is((await admin.post('/api/users/import', { users: [], more: 1 })).status, 400);
});

test('groups are asked for by e-mail address, with whatever signs it has', async (t) => {
  const { admin, database } = t.context;
  const { body } = await admin.post('/api/users', account('grouped', { email: 'g.r+ouped@example.org', role: 'editor' }));
  await database.pool.query('update users set external_groups = $1 where id = $2', [['staff', 'papers'], body['id']]);
  for (const path of ['g.r+ouped@example.org', 'g.r%2Bouped%40example.org', 'G.R+OUPED@EXAMPLE.ORG']) {
    const answer = await admin.get(`/api/users/${path}/groups`);
    t.deepEqual(answer.body, { email: 'g.r+ouped@example.org', groups: ['staff', 'papers'], role: 'editor' }, path);
  }
  t.is((await admin.get('/api/users/nobody@example.org/groups')).status, 404);
  t.is((await admin.get('/api/users/%00/groups')).status, 404);
});

test('a profile is one’s own', async (t) => {
  const { admin, anyone } = t.context;
  await admin.post('/api/users', account('profiled'));
  const client = await anyone.login('profiled');
  t.like((await client.get('/api/users/profile')).body, { username: 'profiled', role: 'viewer' });
  const { body } = await client.send('PUT', '/api/users/profile', {
    email: 'new@example.org',
    display_name: 'P. R.',
    password: 'correct horse battery',
  });
  t.like(body, { email: 'new@example.org', display_name: 'P. R.', username: 'profiled' });
  t.is((await client.send('PUT', '/api/users/profile', { email: 'admin@example.org', password: 'correct horse battery' })).status, 409);
  t.is((await client.send('PATCH', '/api/users/profile', {})).status, 200);
});

test('a password is changed with the present one, and all other sessions end', async (t) => {
  const { admin, anyone } = t.context;
  await admin.post('/api/users', account('changer'));
  const [client, other] = [await anyone.login('changer'), await anyone.login('changer')];
  const change = (current_password: string, new_password: string) =>
    client.post('/api/users/change-password', { current_password, new_password });
  t.is(codeOf((await change('wrong', 'a new password')).body), 'CURRENT_PASSWORD_WRONG');
  t.is((await change(PASSWORD, 'short')).status, 400);
  t.is((await change(PASSWORD, 'Changer@example.org')).status, 400);
  t.is((await change(PASSWORD, 'a new password')).status, 200);
  t.is((await client.get('/api/auth/me')).status, 200);
  t.is((await other.get('/api/auth/me')).status, 401);
  t.is((await anyone.post('/api/auth/login', { username: 'changer', password: PASSWORD })).status, 401);
  t.is((await anyone.post('/api/auth/login', { username: 'changer', password: 'a new password' })).status, 200);
});

test('a change of the password leaves API keys alone, or revokes them where that is wanted', async (t) => {
  const { admin, anyone } = t.context;
  await admin.post('/api/users', { ...account('keyholder'), role: 'admin' });
  const client = await anyone.login('keyholder');
  const { body: key } = await client.post('/api/keys', { name: 'scanner', scope: ['documents.read'] });
  const uses = async () => (await anyone.request('/api/auth/me', { headers: { 'x-api-key': String(key['key']) } })).status;
  const change = { current_password: PASSWORD, new_password: 'a new password' };
  t.deepEqual((await client.post('/api/users/change-password', change)).body, { success: true, revoked_keys: 0 });
  t.is(await uses(), 200);
  const listed = (await client.get('/api/keys')).body['data'] as Record<string, unknown>[];
  t.truthy(listed.find(({ name, owner }) => name === 'scanner' && owner === 'keyholder')?.['last_used_at']);
  const again = { current_password: 'a new password', new_password: PASSWORD, revoke_keys: true };
  t.deepEqual((await client.post('/api/users/change-password', again)).body, { success: true, revoked_keys: 1 });
  t.is(await uses(), 401);
});

test('all that is wrong with the fields of an account or a change of password is told at once', async (t) => {
  const { admin, anyone } = t.context;
  const issuesOf = (body: Record<string, unknown>): string[] =>
    ((detailsOf(body)['issues'] ?? []) as { path: string; code: string }[]).map(({ path, code }) => `${path} ${code}`).toSorted();
  const first = await anyone.post('/api/auth/register', { username: 'a b', email: 'nowhere', password: 'short' });
  t.is(first.status, 400);
  t.deepEqual(issuesOf(first.body), ['email not_email', 'password too_short', 'username not_username']);
  const named = await anyone.post('/api/auth/register', { username: 'somebody', email: 'nowhere', password: 'somebody' });
  t.deepEqual(issuesOf(named.body), ['email not_email', 'password same_as_user']);
  await admin.post('/api/users', account('twofold'));
  const client = await anyone.login('twofold');
  const both = await client.post('/api/users/change-password', { current_password: 'wrong', new_password: 'short' });
  t.deepEqual([both.status, codeOf(both.body), issuesOf(both.body)], [403, 'CURRENT_PASSWORD_WRONG', ['new_password too_short']]);
  const empty = await client.post('/api/users/change-password', { current_password: '', new_password: 'short' });
  t.deepEqual([empty.status, issuesOf(empty.body)], [400, ['current_password required', 'new_password too_short']]);
});

test('a session that was left open is no way to guess the password', async (t) => {
  const { admin, anyone } = t.context;
  await admin.post('/api/users', account('guessed'));
  const client = await anyone.login('guessed');
  const guess = (current_password: string) =>
    client.post('/api/users/change-password', { current_password, new_password: 'a new password' });
  for (let n = 0; n < 5; n += 1) t.is((await guess(`guess ${n}`)).status, 403);
  const locked = await guess(PASSWORD);
  t.is(locked.status, 429);
  t.is(codeOf(locked.body), 'ACCOUNT_LOCKED');
});

test('who manages users does not become an administrator by it', async (t) => {
  const { admin, anyone, database } = t.context;
  await admin.post('/api/users', account('victim', { role: 'editor' }));
  await admin.post('/api/users', account('plain'));
  const plain = await anyone.login('plain');
  const victim = await database.pool.query<{ id: string }>("select id from users where username = 'victim'");
  const path = `/api/users/${victim.rows[0]?.id ?? ''}`;
  t.is((await plain.get('/api/users')).status, 403);
  t.is((await plain.get(path)).status, 403);
  t.is((await plain.send('PUT', path, { role: 'viewer' })).status, 403);
  t.is((await plain.delete(path)).status, 403);
  t.is((await plain.get('/api/users/victim@example.org/groups')).status, 403);
  t.is((await plain.post('/api/users', account('friend', { role: 'admin' }))).status, 403);
  t.is((await plain.post('/api/users/import', [])).status, 403);
});
