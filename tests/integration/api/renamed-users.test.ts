import { ApiClient, givenUser } from '@sheaf/testkit';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { conditionOf } from '../../support/error-condition.ts';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi();
const PASSWORD = 'correct horse battery';

const account = (username: string, role = 'viewer') => ({ username, email: `${username}@example.org`, password: PASSWORD, role });
const codeOf = (body: Record<string, unknown>): unknown => conditionOf(body);

test('a renamed user stays signed in, is known by their new name at once, and signs in with it', async (t) => {
  const { admin, anyone, database } = t.context;
  const { body } = await admin.post('/api/users', account('maiden', 'editor'));
  const client = await anyone.login('maiden');
  t.is((await client.get('/api/auth/me')).body['username'], 'maiden');
  const renamed = await admin.send('PUT', `/api/users/${String(body['id'])}`, { username: 'Married' });
  t.is(renamed.status, 200);
  t.is(renamed.body['username'], 'Married');
  t.is((await client.get('/api/auth/me')).body['username'], 'Married');
  t.is((await anyone.post('/api/auth/login', { username: 'maiden', password: PASSWORD })).status, 401);
  await t.notThrowsAsync(anyone.login('married'));
  const { rows } = await database.pool.query(`select details from audit_log where action = 'user.renamed' and subject_id = $1`, [
    body['id'],
  ]);
  t.deepEqual(rows, [{ details: { from: 'maiden', to: 'Married' } }]);
});

test('names stay unique whatever their case, and are checked as those of new users are', async (t) => {
  const { admin } = t.context;
  const { body } = await admin.post('/api/users', account('first-of-two'));
  await admin.post('/api/users', account('second-of-two'));
  const path = `/api/users/${String(body['id'])}`;
  const taken = await admin.send('PATCH', path, { username: 'SECOND-of-two' });
  t.is(taken.status, 409);
  t.is(codeOf(taken.body), 'DUPLICATE_RESOURCE');
  t.regex(JSON.stringify(taken.body), /SECOND-of-two is already in use/);
  for (const username of ['', 'x'.repeat(65), '../up', 'a b', 'é', 7])
    t.is((await admin.send('PATCH', path, { username })).status, 400, JSON.stringify(username));
  t.is((await admin.send('PATCH', path, { username: 'FIRST-of-two' })).body['username'], 'FIRST-of-two');
});

test('the name of a user from an identity provider stays what the provider calls them', async (t) => {
  const { admin, database } = t.context;
  const { id } = await givenUser(database.db, { username: 'from-ldap' });
  await database.pool.query(`update users set auth_method = 'ldap', external_id = 'cn=x' where id = $1`, [id]);
  const { status, body } = await admin.send('PUT', `/api/users/${id}`, { username: 'other' });
  t.is(status, 409);
  t.is(codeOf(body), 'NAME_KEPT_ELSEWHERE');
  t.is((await admin.send('PUT', `/api/users/${id}`, { username: 'from-ldap', display_name: 'X' })).status, 200);
});

test('who may change only themselves does not choose their name', async (t) => {
  const { admin, database } = t.context;
  const { body } = await admin.post('/api/users', account('self-made'));
  await using api = await startApiWithPermissions(database, { 'self-made': ['users.read.own', 'users.update.own'] });
  const client = await new ApiClient(api.url).login('self-made');
  const path = `/api/users/${String(body['id'])}`;
  t.is((await client.send('PUT', path, { username: 'king' })).status, 403);
  t.is((await client.send('PUT', path, { display_name: 'Me' })).status, 200);
});

test('a lock of failed sign-ins follows a user to their new name', async (t) => {
  const { admin, anyone } = t.context;
  const { body } = await admin.post('/api/users', account('locked-out'));
  for (let n = 0; n < 5; n += 1) await anyone.post('/api/auth/login', { username: 'locked-out', password: 'wrong' });
  await admin.send('PUT', `/api/users/${String(body['id'])}`, { username: 'locked-in' });
  t.is(
    (await anyone.post('/api/auth/login', { username: 'locked-in', password: PASSWORD })).status,
    401,
    'and is not told, as with his address',
  );
});
