// What variables of the directory do that no other test changes: a driver made from a configuration, against a real directory.

import { LdapDriver } from '@sheaf/accounts';
import { loadConfig } from '@sheaf/config';
import { silentLogger } from '@sheaf/process';
import test from 'ava';
import { ALICE, addGroup, addPerson, GROUPS } from '../../support/ldap-people.ts';
import { BASE, openLdapServer, SERVICE_DN, SERVICE_PASSWORD, whyNoLdap } from '../../support/ldap-server.ts';

const missing = whyNoLdap();
const withLdap = missing === undefined ? test : test.skip;

withLdap(
  'LDAP_BIND_PASSWORD, LDAP_USER_ATTR_MAP, LDAP_GROUP_SEARCH_BASE and LDAP_USER_FILTER are what is asked of the directory',
  async (t) => {
    await using server = await openLdapServer();
    await addPerson(server, 'alice', { password: 'alice-password', mail: 'alice@example.org' });
    await addGroup(server, 'staff', [ALICE]);
    const check = async (environment: Readonly<Record<string, string>>, name = 'alice') => {
      const { ldap } = loadConfig({
        environment: {
          LDAP_SERVER: server.url,
          LDAP_BASE_DN: BASE,
          LDAP_BIND_DN: SERVICE_DN,
          LDAP_BIND_PASSWORD: SERVICE_PASSWORD,
          LDAP_GROUP_FILTER: '(member={user_dn})',
          LDAP_GROUP_SEARCH_BASE: GROUPS,
          ...environment,
        },
      }).config;
      if (ldap === undefined) throw new Error('a directory is named');
      using driver = new LdapDriver(ldap, silentLogger());
      return await driver.check(name, 'alice-password');
    };
    t.like(await check({}), { displayName: 'alice Example', email: 'alice@example.org' });
    t.true((await check({}))?.groups.includes('staff'));
    await t.throwsAsync(check({ LDAP_BIND_PASSWORD: 'wrong' }), { code: 'SERVICE_UNAVAILABLE' } as never);
    t.like(await check({ LDAP_USER_ATTR_MAP: '{"name": "sn", "email": "uid"}' }), { displayName: 'Example' });
    t.deepEqual((await check({ LDAP_GROUP_SEARCH_BASE: `ou=people,${BASE}` }))?.groups, []);
    t.is((await check({ LDAP_USER_FILTER: '(mail={username})' }, 'alice@example.org'))?.displayName, 'alice Example');
  },
);
