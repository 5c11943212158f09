// The rows of the specification on OIDC and SAML 2.0: name, default, and where the value arrives.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '@sheaf/config';
import test from 'ava';
import { makeKeyPair } from '../support/certificate.ts';
import { openConfiguration } from '../support/configuration.ts';

const { folder, load } = openConfiguration();

const at = (name: string): string => join(folder, name);
test.before(async () => {
  const own = await makeKeyPair('own');
  writeFileSync(at('own.crt'), own.certificate);
  writeFileSync(at('own.key'), own.key);
  writeFileSync(at('idp.xml'), '<EntityDescriptor/>');
});

const OIDC = {
  OIDC_ENABLED: 'true',
  OIDC_CLIENT_ID: 'sheaf',
  OIDC_CLIENT_SECRET: 'hush',
  OIDC_ISSUER_URL: 'https://id.example.com/realms/main',
  OIDC_REDIRECT_URI: 'https://docs.example.com/api/auth/oidc/callback',
};
const SAML = {
  SAML2_IDP_METADATA_URL: 'https://idp.example.com/metadata',
  SAML2_SP_ENTITY_ID: 'https://docs.example.com/saml',
  SAML2_SP_ACS_URL: 'https://docs.example.com/api/auth/saml/acs',
};

interface Row {
  readonly table: 'OIDC, first naming' | 'OIDC, second naming' | 'SAML 2.0';
  readonly name: string;
  readonly read: (config: Config) => unknown;
  readonly byDefault: unknown;
  readonly given: readonly [text: string, arrived: unknown];
  /** Needed beside it. */
  readonly also?: Record<string, string>;
}

const FIRST = 'OIDC, first naming';
const SECOND = 'OIDC, second naming';
const elsewhere = 'https://other.example.com/x';

const ROWS: readonly Row[] = [
  {
    table: FIRST,
    name: 'OIDC_ISSUER',
    read: ({ oidc }) => oidc?.issuer,
    byDefault: OIDC.OIDC_ISSUER_URL,
    // set under both names, the proper one wins
    given: [elsewhere, OIDC.OIDC_ISSUER_URL],
  },
  { table: FIRST, name: 'OIDC_CLIENT_ID', read: ({ oidc }) => oidc?.clientId, byDefault: 'sheaf', given: ['another', 'another'] },
  {
    table: FIRST,
    name: 'OIDC_CLIENT_SECRET',
    read: ({ oidc }) => oidc?.clientSecret?.reveal(),
    byDefault: 'hush',
    given: ['more', 'more'],
  },
  {
    table: FIRST,
    name: 'OIDC_REDIRECT_URI',
    read: ({ oidc }) => oidc?.redirectUri,
    byDefault: OIDC.OIDC_REDIRECT_URI,
    given: ['https://docs.example.com/auth/back', 'https://docs.example.com/auth/back'],
  },
  {
    table: FIRST,
    name: 'OIDC_SCOPE',
    read: ({ oidc }) => oidc?.scopes,
    byDefault: 'openid profile email',
    given: ['openid groups', 'openid groups'],
  },
  { table: FIRST, name: 'OIDC_USER_CLAIM', read: ({ oidc }) => oidc?.userClaim, byDefault: undefined, given: ['upn', 'upn'] },
  {
    table: FIRST,
    name: 'OIDC_GROUPS_CLAIM',
    read: ({ oidc }) => oidc?.groupsClaim,
    byDefault: 'groups',
    given: ['realm_access.roles', 'realm_access.roles'],
  },
  { table: FIRST, name: 'OIDC_ADMIN_GROUP', read: ({ oidc }) => oidc?.adminGroup, byDefault: undefined, given: ['admins', 'admins'] },
  { table: FIRST, name: 'OIDC_AUTO_CREATE_USERS', read: ({ oidc }) => oidc?.autoCreateUsers, byDefault: false, given: ['true', true] },
  { table: FIRST, name: 'OIDC_AUDIENCE', read: ({ oidc }) => oidc?.audience, byDefault: undefined, given: ['api', 'api'] },
  {
    table: FIRST,
    name: 'OIDC_TOKEN_ENDPOINT_AUTH_METHOD',
    read: ({ oidc }) => oidc?.tokenEndpointAuthMethod,
    byDefault: undefined,
    given: ['client_secret_post', 'client_secret_post'],
  },
  {
    table: FIRST,
    name: 'OIDC_HOSTED_DOMAIN',
    read: ({ oidc }) => oidc?.hostedDomain,
    byDefault: undefined,
    given: ['Example.COM', 'example.com'],
  },
  {
    table: FIRST,
    name: 'OIDC_GROUP_ROLE_MAPPING',
    read: ({ oidc }) => oidc?.groupRoles,
    byDefault: {},
    given: ['{"staff": "editor"}', { staff: 'editor' }],
  },
  { table: FIRST, name: 'OIDC_DEBUG', read: ({ oidc }) => oidc?.debug, byDefault: false, given: ['true', true] },
  { table: SECOND, name: 'OIDC_ENABLED', read: ({ oidc }) => oidc !== undefined, byDefault: true, given: ['false', false] },
  {
    table: SECOND,
    name: 'OIDC_ISSUER_URL',
    read: ({ oidc }) => oidc?.issuer,
    byDefault: OIDC.OIDC_ISSUER_URL,
    given: [`${elsewhere}/.well-known/openid-configuration`, elsewhere],
  },
  {
    table: SECOND,
    name: 'OIDC_SCOPES',
    read: ({ oidc }) => oidc?.scopes,
    byDefault: 'openid profile email',
    given: ['openid email', 'openid email'],
  },
  {
    table: SECOND,
    name: 'OIDC_USER_INFO_ENDPOINT',
    read: ({ oidc }) => oidc?.endpoints.userInfo,
    byDefault: undefined,
    given: [elsewhere, elsewhere],
  },
  {
    table: SECOND,
    name: 'OIDC_TOKEN_ENDPOINT',
    read: ({ oidc }) => oidc?.endpoints.token,
    byDefault: undefined,
    given: [elsewhere, elsewhere],
  },
  {
    table: SECOND,
    name: 'OIDC_AUTH_ENDPOINT',
    read: ({ oidc }) => oidc?.endpoints.authorization,
    byDefault: undefined,
    given: [elsewhere, elsewhere],
  },
  {
    table: 'SAML 2.0',
    name: 'SAML2_IDP_METADATA_URL',
    read: ({ saml }) => saml?.metadata,
    byDefault: SAML.SAML2_IDP_METADATA_URL,
    given: [at('idp.xml'), at('idp.xml')],
  },
  {
    table: 'SAML 2.0',
    name: 'SAML2_SP_ENTITY_ID',
    read: ({ saml }) => saml?.entityId,
    byDefault: SAML.SAML2_SP_ENTITY_ID,
    given: ['urn:sheaf', 'urn:sheaf'],
  },
  {
    table: 'SAML 2.0',
    name: 'SAML2_SP_ACS_URL',
    read: ({ saml }) => saml?.acsUrl,
    byDefault: SAML.SAML2_SP_ACS_URL,
    given: [elsewhere, elsewhere],
  },
  {
    table: 'SAML 2.0',
    name: 'SAML2_SP_X509_CERT',
    read: ({ saml }) => saml?.certificateFile,
    byDefault: undefined,
    given: [at('own.crt'), at('own.crt')],
    also: { SAML2_SP_PRIVATE_KEY: at('own.key') },
  },
  {
    table: 'SAML 2.0',
    name: 'SAML2_SP_PRIVATE_KEY',
    read: ({ saml }) => saml?.privateKeyFile,
    byDefault: undefined,
    given: [at('own.key'), at('own.key')],
    also: { SAML2_SP_X509_CERT: at('own.crt') },
  },
  {
    table: 'SAML 2.0',
    name: 'SAML2_ATTRIBUTE_MAPPING',
    read: ({ saml }) => saml?.attributes,
    byDefault: {},
    given: ['{"email": "mail"}', { email: 'mail' }],
  },
  { table: 'SAML 2.0', name: 'SAML2_ADMIN_GROUP', read: ({ saml }) => saml?.adminGroup, byDefault: undefined, given: ['admins', 'admins'] },
];

for (const { table, name, read, byDefault, given, also = {} } of ROWS) {
  test(`${table}: ${name}`, (t) => {
    const base = { ...OIDC, ...SAML };
    t.deepEqual(read(load(base)), byDefault, 'by default, beside the required ones');
    t.deepEqual(read(load({ ...base, ...also, [name]: given[0] })), given[1], 'when set');
  });
}

test('the first naming alone is enough, with AUTH_METHOD=oidc', (t) => {
  const { OIDC_ENABLED: _on, OIDC_ISSUER_URL: issuer, ...rest } = OIDC;
  const { oidc } = load({ ...rest, AUTH_METHOD: 'oidc', OIDC_ISSUER: issuer, OIDC_SCOPE: 'openid email' });
  t.deepEqual([oidc?.issuer, oidc?.scopes], [issuer, 'openid email']);
});

test('nothing of it is on by itself', (t) => {
  const { oidc, saml } = load({});
  t.deepEqual([oidc, saml], [undefined, undefined]);
});

const refused = (environment: Record<string, string>): readonly string[] => {
  try {
    load(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.issues.map(({ variable }) => variable);
    throw error;
  }
};

for (const name of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ISSUER_URL', 'OIDC_REDIRECT_URI'] as const) {
  test(`OIDC_ENABLED=true without ${name} is refused at start, which names it`, (t) => {
    t.deepEqual(refused({ ...OIDC, [name]: '' }), [name]);
    t.deepEqual(refused({ ...OIDC, OIDC_ENABLED: 'false', [name]: '' }), []);
  });
}

test('a client without a secret needs none', (t) => {
  t.deepEqual(refused({ ...OIDC, OIDC_CLIENT_SECRET: '', OIDC_TOKEN_ENDPOINT_AUTH_METHOD: 'none' }), []);
});

for (const name of ['SAML2_SP_ENTITY_ID', 'SAML2_SP_ACS_URL'] as const) {
  test(`SAML2_IDP_METADATA_URL without ${name} is refused at start, which names it`, (t) => {
    t.deepEqual(refused({ ...SAML, [name]: '' }), [name]);
  });
}

const WRONG: readonly (readonly [name: string, text: string])[] = [
  ['OIDC_ISSUER_URL', 'id.example.com'],
  ['OIDC_ISSUER_URL', 'https://user:password@id.example.com'],
  ['OIDC_REDIRECT_URI', '/api/auth/oidc/callback'],
  ['OIDC_REDIRECT_URI', 'https://docs.example.com/'],
  ['OIDC_REDIRECT_URI', 'https://docs.example.com/{id}'],
  ['OIDC_SCOPES', 'profile email'],
  ['OIDC_AUTH_ENDPOINT', 'javascript:alert(1)'],
  ['OIDC_TOKEN_ENDPOINT_AUTH_METHOD', 'private_key_jwt'],
  ['OIDC_GROUP_ROLE_MAPPING', 'staff=editor'],
  ['OIDC_GROUP_ROLE_MAPPING', '["editor"]'],
  ['SAML2_ATTRIBUTE_MAPPING', '{"mail": "email"}'],
  ['SAML2_SP_ACS_URL', 'docs.example.com/acs'],
];

for (const [name, text] of WRONG) {
  test(`${name} refuses ${text}`, (t) => {
    t.deepEqual(refused({ ...OIDC, ...SAML, [name]: text }), [name]);
  });
}

test('a key of our own without its certificate, and the other way, is refused', (t) => {
  t.deepEqual(refused({ ...SAML, SAML2_SP_PRIVATE_KEY: at('own.key') }), ['SAML2_SP_X509_CERT']);
  t.deepEqual(refused({ ...SAML, SAML2_SP_X509_CERT: at('own.crt') }), ['SAML2_SP_PRIVATE_KEY']);
  t.deepEqual(refused({ AUTH_METHOD: 'saml2' }), ['SAML2_IDP_METADATA_URL']);
});
