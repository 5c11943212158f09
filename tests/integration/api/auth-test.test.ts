// POST /api/auth/test: a sign-in method is tried without signing anybody in.
import { addGroup, addPerson, GROUPS, PEOPLE } from '../../support/ldap-people.ts';
import { BASE, type LdapServer, openLdapServer, SERVICE_DN, SERVICE_PASSWORD, whyNoLdap } from '../../support/ldap-server.ts';
import { startApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();
const missing = whyNoLdap();
if (missing !== undefined) process.stdout.write(`LDAP part of POST /api/auth/test skipped: ${missing}\n`);
const withLdap = missing === undefined ? test : test.skip;

let server: LdapServer | undefined;
test.after.always(() => server?.[Symbol.asyncDispose]());

test('a local password is tried, told in words, counted and noted, and opens no session', async (t) => {
  const { admin, database } = t.context;
  const sessions = async (): Promise<number> => Number((await database.pool.query('select count(*) from sessions')).rows[0]?.count);
  const before = await sessions();
  const { body } = await admin.post('/api/auth/test', { method: 'local', username: 'ADMIN', password: 'correct horse battery' });
  t.like(body, {
    success: true,
    method: 'local',
    code: 'sign_in_test_password_correct',
    user: { username: 'admin', role: 'admin' },
  });
  t.is(typeof body['duration_ms'], 'number');
  for (const username of ['admin', 'nobody-at-all']) {
    const wrong = await admin.post('/api/auth/test', { method: 'local', username, password: 'wrong' });
    t.like(wrong.body, { success: false, code: 'wrong_credentials' });
    t.is(wrong.body['user'], undefined);
  }
  t.is(await sessions(), before);
  const { rows } = await database.pool.query(
    `select outcome, details from audit_log where action = 'sign_in.test' and lower(details ->> 'username') in ('admin', 'nobody-at-all') order by created_at`,
  );
  t.deepEqual(
    rows.map(({ outcome }) => outcome as unknown),
    ['success', 'failure', 'failure'],
  );
  t.false(JSON.stringify(rows).includes('correct horse'));
});

test('wrong passwords count towards the lockout, so that this is no way to guess', async (t) => {
  const { admin } = t.context;
  await admin.post('/api/users', { username: 'guessed', email: 'guessed@example.org', role: 'viewer', password: 'correct horse battery' });
  const attempt = (password: string) => admin.post('/api/auth/test', { method: 'local', username: 'guessed', password });
  for (let n = 0; n < 5; n += 1) t.is((await attempt('wrong')).status, 200);
  t.is((await attempt('correct horse battery')).status, 429);
  t.is((await t.context.anyone.post('/api/auth/login', { username: 'guessed', password: 'correct horse battery' })).status, 429);
});

test('ways in that go through the browser, and a directory that is not configured, say what to do', async (t) => {
  for (const [method, code] of [
    ['oidc', 'sign_in_test_in_browser'],
    ['saml2', 'sign_in_test_in_browser'],
    ['ldap', 'ldap_not_configured'],
  ] as const) {
    const { status, body } = await t.context.admin.post('/api/auth/test', { method, username: 'ada', password: 'x' });
    t.is(status, 200);
    t.like(body, { success: false, code });
  }
  t.is((await t.context.admin.post('/api/auth/test', { method: 'kerberos', username: 'ada', password: 'x' })).status, 400);
});

withLdap('a directory is tried before users sign in by it, with the role that its groups would give', async (t) => {
  server = await openLdapServer();
  await addPerson(server, 'alice', { password: 'alice-password', mail: 'alice@example.org' });
  await addGroup(server, 'staff', [`uid=alice,${PEOPLE}`]);
  const api = await startApi({
    LDAP_SERVER: server.url,
    LDAP_BIND_DN: SERVICE_DN,
    LDAP_BIND_PASSWORD: SERVICE_PASSWORD,
    LDAP_BASE_DN: BASE,
    LDAP_GROUP_SEARCH_BASE: GROUPS,
    LDAP_GROUP_FILTER: '(member={user_dn})',
    LDAP_GROUP_ROLE_MAPPING: '{"staff": "editor"}',
  });
  try {
    const attempt = async (password: string) =>
      (await api.admin.post('/api/auth/test', { method: 'ldap', username: 'alice', password })).body;
    t.like(await attempt('alice-password'), { success: true, user: { username: 'alice', email: 'alice@example.org', role: 'editor' } });
    t.like(await attempt('wrong'), { success: false, code: 'wrong_credentials' });
    t.is((await api.anyone.post('/api/auth/login', { username: 'alice', password: 'alice-password' })).status, 401, 'AUTH_METHOD is local');
    await server[Symbol.asyncDispose]();
    server = undefined;
    const away = await attempt('alice-password');
    t.like(away, { success: false, code: 'directory_away' });
  } finally {
    await api.stop();
  }
});
