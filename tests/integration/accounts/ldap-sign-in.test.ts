// Names and passwords against a real directory (slapd).
import { AppError } from '@sheaf/contract';
import { unhealthy } from '@sheaf/contract/operations';
import { silentLogger } from '@sheaf/process';
import test from 'ava';
import { ALICE, addGroup, addPerson, GROUPS, ldapDriver } from '../../support/ldap-people.ts';
import { BASE, type LdapServer, openLdapServer, whyNoLdap } from '../../support/ldap-server.ts';
import { makeNotedLogger } from '../../support/noted-logger.ts';

const missing = whyNoLdap();
const withLdap = missing === undefined ? test : test.skip;
if (missing !== undefined) process.stdout.write(`LDAP tests skipped: ${missing}\n`);

const ADMINS = `cn=admins,${GROUPS}`;
const WEIRD = 'we*ird)(uid=*, \\boss';

let server: LdapServer;
test.before(async () => {
  if (missing !== undefined) return;
  server = await openLdapServer();
  await addPerson(server, 'alice', { password: 'alice-password', mail: 'alice@example.org' });
  await addPerson(server, 'bob', { password: 'bob-password', mail: 'shared@example.org' });
  await addPerson(server, 'carol', { password: 'carol-password', mail: 'shared@example.org', ou: 'more' });
  const weird = await addPerson(server, WEIRD, { password: 'weird-password' });
  await addGroup(server, 'admins', [ALICE]);
  await addGroup(server, 'staff', [ALICE, `uid=bob,ou=people,${BASE}`]);
  await addGroup(server, 'odd', [weird]);
  // A group that anybody who may make groups could make.
  await addGroup(server, ADMINS, [`uid=bob,ou=people,${BASE}`]);
});
test.after.always(async () => {
  if (missing === undefined) await server[Symbol.asyncDispose]();
});

const isAway = { instanceOf: AppError, code: 'SERVICE_UNAVAILABLE' };

withLdap('a right password gives who it is, by an id that outlives a new name', async (t) => {
  using driver = ldapDriver(server, { groupFilter: undefined });
  const alice = await driver.check('alice', 'alice-password');
  t.like(alice, { method: 'ldap', username: 'alice', email: 'alice@example.org', emailVerified: false, displayName: 'alice Example' });
  t.regex(alice?.externalId ?? '', /^[0-9a-f]{8}-[0-9a-f-]{27}$/);
});

withLdap('an address is verified only where LDAP_EMAIL_VERIFIED says so', async (t) => {
  using trusting = ldapDriver(server, { emailVerified: true });
  t.is((await trusting.check('alice', 'alice-password'))?.emailVerified, true);
  using careful = ldapDriver(server);
  t.is((await careful.check('alice', 'alice-password'))?.emailVerified, false);
});

withLdap('a wrong password, a name that nobody has and no password at all are refused alike', async (t) => {
  using driver = ldapDriver(server);
  for (const [username, password] of [
    ['alice', 'wrong'],
    ['alice', 'bob-password'],
    ['nobody', 'alice-password'],
    ['alice', ''],
    ['', 'alice-password'],
    ['  ', 'alice-password'],
    ['alice', '\0'],
    ['alice', 'alice-password\0'],
    ['a'.repeat(5_000), 'x'],
  ] as const)
    t.is(await driver.check(username, password), undefined, `${username} ${password}`);
});

withLdap('an empty password is refused before anything is sent', async (t) => {
  using driver = ldapDriver({ url: 'ldap://127.0.0.1:1' });
  t.is(await driver.check('alice', ''), undefined);
  await t.throwsAsync(driver.check('alice', 'x'), isAway);
});

withLdap('a name is never read as a filter', async (t) => {
  using driver = ldapDriver(server);
  const hostile = [
    '*',
    'ali*',
    'alice*',
    '*)(uid=*',
    'alice)(objectClass=*',
    'alice)(|(uid=*',
    '*)(|(uid=alice)',
    'alice\0',
    '\\61lice',
    'alice\\',
    '\\2a',
    'ä*',
    '€',
    '{username}',
  ];
  for (const username of hostile) t.is(await driver.check(username, 'alice-password'), undefined, username);
  t.is((await driver.check(WEIRD, 'weird-password'))?.username, WEIRD);
});

withLdap('a name that finds two entries signs nobody in, even with the password of one', async (t) => {
  const { log, lines } = makeNotedLogger();
  using driver = ldapDriver(server, { userFilter: '(mail={username})', attributes: { email: 'mail', name: 'cn', username: 'uid' } }, log);
  t.is(await driver.check('shared@example.org', 'bob-password'), undefined);
  t.true(lines.some((line) => line.includes('several entries')));
  t.is((await driver.check('alice@example.org', 'alice-password'))?.username, 'alice');
});

withLdap('people outside the base are not found', async (t) => {
  using driver = ldapDriver(server, { baseDn: `ou=people,${BASE}` });
  t.is(await driver.check('carol', 'carol-password'), undefined);
  t.is((await driver.check('bob', 'bob-password'))?.username, 'bob');
});

withLdap('groups come by filter, under the names of the directory and of the settings', async (t) => {
  const adminGroup = 'CN=Admins, OU=Groups, DC=example, DC=org';
  using driver = ldapDriver(server, { adminGroup, groupRoles: { STAFF: 'editor' } });
  const alice = await driver.check('alice', 'alice-password');
  t.deepEqual([...(alice?.groups ?? [])].sort(), [adminGroup, 'STAFF', 'admins', ADMINS, `cn=staff,${GROUPS}`, 'staff'].sort());
});

withLdap('a group that is named like the distinguished name of the admin group is not the admin group', async (t) => {
  using driver = ldapDriver(server, { adminGroup: ADMINS });
  const bob = await driver.check('bob', 'bob-password');
  t.true(bob?.groups.includes('staff'));
  t.false(bob?.groups.includes(ADMINS));
});

withLdap('a distinguished name is never read as a filter', async (t) => {
  using driver = ldapDriver(server);
  const weird = await driver.check(WEIRD, 'weird-password');
  t.deepEqual(
    weird?.groups.filter((name) => !name.includes('=')),
    ['odd'],
  );
});

withLdap('without a group filter the groups are those of the entry', async (t) => {
  using driver = ldapDriver(server, { groupFilter: undefined, adminGroup: ADMINS.toUpperCase() });
  const alice = await driver.check('alice', 'alice-password');
  t.true(alice?.groups.includes(ADMINS.toUpperCase()));
  t.true(alice?.groups.includes('staff'));
});

withLdap('a wrong password of the service is a failure of the service, not of the person', async (t) => {
  using driver = ldapDriver(server, { bindDn: `cn=nobody,${BASE}` });
  await t.throwsAsync(driver.check('alice', 'alice-password'), isAway);
  t.deepEqual(await driver.health(), unhealthy('ldap_bind_rejected'));
});

withLdap('health tells of a base that is not there', async (t) => {
  using driver = ldapDriver(server, { baseDn: `ou=nowhere,${BASE}` });
  t.deepEqual(await driver.health(), unhealthy('ldap_search_failed', { base_dn: `ou=nowhere,${BASE}` }));
  using good = ldapDriver(server);
  t.deepEqual(await good.health(), { status: 'healthy' });
});

withLdap('no password is ever logged, each step is with LDAP_DEBUG', async (t) => {
  const { log, lines } = makeNotedLogger();
  using driver = ldapDriver(server, { debug: true }, log);
  await driver.check('alice', 'alice-password');
  await driver.check('alice', 'wrong-secret');
  await driver.check('nobody', 'another-secret');
  for (const step of ['LDAP user search', 'LDAP user bind', 'LDAP groups'])
    t.true(
      lines.some((line) => line.includes(step)),
      step,
    );
  for (const secret of ['alice-password', 'wrong-secret', 'another-secret', 'service-password'])
    t.false(
      lines.some((line) => line.includes(secret)),
      secret,
    );
});

withLdap('what would be a mistake in every sign-in is told at the start', (t) => {
  for (const changes of [
    { userFilter: '(uid=x)' },
    { userFilter: '(uid={username}' },
    { groupFilter: '(member={username})' },
    { caFile: '/nowhere.pem' },
  ])
    t.throws(() => ldapDriver(server, changes, silentLogger()), { name: 'FatalError', message: /^LDAP_/ });
});
