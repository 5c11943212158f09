import { LdapDriver, type LdapSettings } from '@sheaf/accounts/testing/ldap';
import { Secret } from '@sheaf/contract';
import { type Logger, silentLogger } from '@sheaf/process';
import { BASE, type LdapServer, SERVICE_DN, SERVICE_PASSWORD } from './ldap-server.ts';

export const PEOPLE = `ou=people,${BASE}`;
export const GROUPS = `ou=groups,${BASE}`;
export const ALICE = `uid=alice,${PEOPLE}`;

export const ldapSettings = (server: Pick<LdapServer, 'url'>, changes: Partial<LdapSettings> = {}): LdapSettings => ({
  servers: [server.url],
  bindDn: SERVICE_DN,
  bindPassword: new Secret(SERVICE_PASSWORD),
  baseDn: BASE,
  userFilter: '(&(objectClass=inetOrgPerson)(uid={username}))',
  attributes: { email: 'mail', name: 'cn' },
  groupSearchBase: GROUPS,
  groupFilter: '(member={user_dn})',
  adminGroup: undefined,
  groupRoles: {},
  startTls: false,
  verifyTls: true,
  caFile: undefined,
  emailVerified: false,
  debug: false,
  timeoutMs: 3_000,
  ...changes,
});

export const ldapDriver = (
  server: Pick<LdapServer, 'url'>,
  changes: Partial<LdapSettings> = {},
  log: Logger = silentLogger(),
): LdapDriver => new LdapDriver(ldapSettings(server, changes), log);

/** The part of a distinguished name that has to be escaped in it. */
const escaped = (value: string): string => value.replaceAll(/[,+"\\<>;=#]/g, (character) => `\\${character}`);

export const addPerson = async (
  server: LdapServer,
  uid: string,
  fields: { password: string; mail?: string; ou?: string },
): Promise<string> => {
  const dn = `uid=${escaped(uid)},ou=${fields.ou ?? 'people'},${BASE}`;
  await server.add(dn, {
    objectClass: ['inetOrgPerson'],
    uid,
    cn: `${uid} Example`,
    sn: 'Example',
    userPassword: fields.password,
    ...(fields.mail === undefined ? {} : { mail: fields.mail }),
  });
  return dn;
};

export const addGroup = (server: LdapServer, cn: string, members: readonly string[]): Promise<void> =>
  server.add(`cn=${escaped(cn)},${GROUPS}`, { objectClass: ['groupOfNames'], cn, member: [...members] });
