// The variables of LDAP and of second factors: default, another value, and where it arrives.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { makeKeyPair } from '../support/certificate.ts';
import { openConfiguration, type VariableRow } from '../support/configuration.ts';

const { folder, load } = openConfiguration();

const CA_FILE = join(folder, 'ca.pem');
test.before(async () => writeFileSync(CA_FILE, (await makeKeyPair('ca')).certificate));

const DIRECTORY = { LDAP_SERVER: 'ldap://ldap.example.org', LDAP_BASE_DN: 'dc=example,dc=org' };
const WEBAUTHN = { WEBAUTHN_RP_ID: 'docs.example.org' };

const LDAP: readonly VariableRow[] = [
  {
    name: 'LDAP_SERVER',
    beside: { LDAP_BASE_DN: 'dc=example,dc=org' },
    read: ({ ldap }) => ldap?.servers,
    byDefault: undefined,
    given: ['ldaps://a.example.org, ldap://b.example.org:1389', ['ldaps://a.example.org', 'ldap://b.example.org:1389']],
  },
  {
    name: 'LDAP_BIND_DN',
    beside: { ...DIRECTORY, LDAP_BIND_DN: 'cn=x', LDAP_BIND_PASSWORD: 'x' },
    read: ({ ldap }) => ldap?.bindDn,
    byDefault: 'cn=x',
    given: ['cn=sheaf,dc=example,dc=org', 'cn=sheaf,dc=example,dc=org'],
  },
  {
    name: 'LDAP_BIND_PASSWORD',
    beside: { ...DIRECTORY, LDAP_BIND_DN: 'cn=x', LDAP_BIND_PASSWORD: 'x' },
    read: ({ ldap }) => `${String(ldap?.bindPassword)} ${ldap?.bindPassword?.reveal()}`,
    byDefault: '*** x',
    given: ['pass word', '*** pass word'],
  },
  { name: 'LDAP_BASE_DN', beside: DIRECTORY, read: ({ ldap }) => ldap?.baseDn, byDefault: 'dc=example,dc=org', given: ['dc=x', 'dc=x'] },
  {
    name: 'LDAP_USER_FILTER',
    beside: DIRECTORY,
    read: ({ ldap }) => ldap?.userFilter,
    byDefault: '(uid={username})',
    given: ['(sAMAccountName={username})', '(sAMAccountName={username})'],
  },
  {
    name: 'LDAP_USER_ATTR_MAP',
    beside: DIRECTORY,
    read: ({ ldap }) => ldap?.attributes,
    byDefault: { email: 'mail', name: 'cn', username: undefined },
    given: [
      '{"email": "userPrincipalName", "name": "displayName"}',
      { email: 'userPrincipalName', name: 'displayName', username: undefined },
    ],
  },
  {
    name: 'LDAP_GROUP_SEARCH_BASE',
    beside: DIRECTORY,
    read: ({ ldap }) => ldap?.groupSearchBase,
    byDefault: undefined,
    given: ['ou=groups,dc=x', 'ou=groups,dc=x'],
  },
  {
    name: 'LDAP_GROUP_FILTER',
    beside: DIRECTORY,
    read: ({ ldap }) => ldap?.groupFilter,
    byDefault: undefined,
    given: ['(member={user_dn})', '(member={user_dn})'],
  },
  {
    name: 'LDAP_ADMIN_GROUP',
    beside: DIRECTORY,
    read: ({ ldap }) => ldap?.adminGroup,
    byDefault: undefined,
    given: ['cn=admins,dc=x', 'cn=admins,dc=x'],
  },
  { name: 'LDAP_USE_TLS', beside: DIRECTORY, read: ({ ldap }) => ldap?.startTls, byDefault: false, given: ['true', true] },
  { name: 'LDAP_TLS_VERIFY', beside: DIRECTORY, read: ({ ldap }) => ldap?.verifyTls, byDefault: true, given: ['false', false] },
  { name: 'LDAP_TLS_CA_FILE', beside: DIRECTORY, read: ({ ldap }) => ldap?.caFile, byDefault: undefined, given: [CA_FILE, CA_FILE] },
  {
    name: 'LDAP_GROUP_ROLE_MAPPING',
    beside: DIRECTORY,
    read: ({ ldap }) => ldap?.groupRoles,
    byDefault: {},
    given: ['{"staff": "editor", "cn=a,dc=x": "auditor"}', { staff: 'editor', 'cn=a,dc=x': 'auditor' }],
  },
  { name: 'LDAP_EMAIL_VERIFIED', beside: DIRECTORY, read: ({ ldap }) => ldap?.emailVerified, byDefault: false, given: ['true', true] },
  { name: 'LDAP_DEBUG', beside: DIRECTORY, read: ({ ldap }) => ldap?.debug, byDefault: false, given: ['true', true] },
];

const DAY_MS = 86_400_000;

const MFA: readonly VariableRow[] = [
  { name: 'MFA_ENABLED', read: ({ secondFactor }) => secondFactor.enabled, byDefault: false, given: ['true', true] },
  {
    name: 'MFA_METHOD',
    beside: WEBAUTHN,
    read: ({ secondFactor }) => secondFactor.methods,
    byDefault: ['totp'],
    given: ['WebAuthn,totp', ['webauthn', 'totp']],
  },
  { name: 'MFA_ISSUER', read: ({ secondFactor }) => secondFactor.issuer, byDefault: 'Sheaf', given: ['Papers', 'Papers'] },
  { name: 'MFA_ENFORCE_FOR_ADMINS', read: ({ secondFactor }) => secondFactor.enforceForAdmins, byDefault: false, given: ['true', true] },
  { name: 'MFA_GRACE_PERIOD_DAYS', read: ({ secondFactor }) => secondFactor.graceMs, byDefault: 7 * DAY_MS, given: ['30', 30 * DAY_MS] },
  {
    name: 'WEBAUTHN_RP_ID',
    read: ({ secondFactor }) => secondFactor.webauthn?.rpId,
    byDefault: undefined,
    given: ['docs.example.org', 'docs.example.org'],
  },
  {
    name: 'WEBAUTHN_RP_NAME',
    beside: WEBAUTHN,
    read: ({ secondFactor }) => secondFactor.webauthn?.rpName,
    byDefault: 'Sheaf',
    given: ['Papers', 'Papers'],
  },
  {
    name: 'WEBAUTHN_ORIGIN',
    beside: WEBAUTHN,
    read: ({ secondFactor }) => secondFactor.webauthn?.origins,
    byDefault: [],
    given: ['https://docs.example.org:8443,https://docs.example.org', ['https://docs.example.org:8443', 'https://docs.example.org']],
  },
  {
    name: 'WEBAUTHN_REQUIRE_ATTESTATION',
    beside: WEBAUTHN,
    read: ({ secondFactor }) => secondFactor.webauthn?.attestation,
    byDefault: 'none',
    given: ['direct', 'direct'],
  },
];

for (const [table, rows] of Object.entries({ LDAP, 'Multi-factor': MFA })) {
  for (const { name, beside = {}, read, byDefault, given } of rows) {
    test(`${table}: ${name}`, (t) => {
      t.deepEqual(read(load(beside)), byDefault, 'by default');
      t.deepEqual(read(load({ ...beside, [name]: given[0] })), given[1], 'when set');
    });
  }
}

const REFUSED: readonly (readonly [variable: string, environment: Record<string, string>])[] = [
  ['LDAP_SERVER', { AUTH_METHOD: 'ldap' }],
  ['LDAP_SERVER', { ...DIRECTORY, LDAP_SERVER: 'http://ldap.example.org' }],
  ['LDAP_SERVER', { ...DIRECTORY, LDAP_SERVER: 'ldap://a,b' }],
  ['LDAP_SERVER', { ...DIRECTORY, LDAP_SERVER: 'ldap://user:password@a' }],
  ['LDAP_SERVER', { ...DIRECTORY, LDAP_SERVER: 'ldap://a/dc=x' }],
  ['LDAP_BASE_DN', { LDAP_SERVER: 'ldap://a' }],
  ['LDAP_BIND_PASSWORD', { ...DIRECTORY, LDAP_BIND_DN: 'cn=x' }],
  ['LDAP_BIND_DN', { ...DIRECTORY, LDAP_BIND_PASSWORD: 'x' }],
  ['LDAP_USER_FILTER', { ...DIRECTORY, LDAP_USER_FILTER: '(uid=alice)' }],
  ['LDAP_GROUP_FILTER', { ...DIRECTORY, LDAP_GROUP_FILTER: '(member={username})' }],
  ['LDAP_ADMIN_GROUP', { ...DIRECTORY, LDAP_ADMIN_GROUP: 'admins' }],
  ['LDAP_USER_ATTR_MAP', { ...DIRECTORY, LDAP_USER_ATTR_MAP: '{"mail": "x"}' }],
  ['LDAP_GROUP_ROLE_MAPPING', { ...DIRECTORY, LDAP_GROUP_ROLE_MAPPING: 'staff=editor' }],
  ['MFA_METHOD', { MFA_METHOD: 'sms' }],
  ['MFA_METHOD', { MFA_METHOD: ',' }],
  ['MFA_GRACE_PERIOD_DAYS', { MFA_GRACE_PERIOD_DAYS: '-1' }],
  ['WEBAUTHN_RP_ID', { MFA_ENABLED: 'true', MFA_METHOD: 'webauthn' }],
  ['WEBAUTHN_RP_ID', { WEBAUTHN_RP_ID: 'https://docs.example.org' }],
  ['WEBAUTHN_RP_ID', { WEBAUTHN_RP_ID: '192.168.0.1' }],
  ['WEBAUTHN_ORIGIN', { ...WEBAUTHN, WEBAUTHN_ORIGIN: 'http://docs.example.org' }],
  ['WEBAUTHN_ORIGIN', { ...WEBAUTHN, WEBAUTHN_ORIGIN: 'https://example.org' }],
  ['WEBAUTHN_ORIGIN', { ...WEBAUTHN, WEBAUTHN_ORIGIN: 'https://evildocs.example.org' }],
  ['WEBAUTHN_ORIGIN', { ...WEBAUTHN, WEBAUTHN_ORIGIN: 'https://docs.example.org/' }],
  ['WEBAUTHN_REQUIRE_ATTESTATION', { WEBAUTHN_REQUIRE_ATTESTATION: 'maybe' }],
];

test('what cannot work is refused at the start, by the name of the variable', (t) => {
  for (const [variable, environment] of REFUSED)
    t.throws(() => load(environment), { name: 'ConfigError', message: new RegExp(`^${variable} `, 'm') }, JSON.stringify(environment));
});
