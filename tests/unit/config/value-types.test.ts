// Values that have the form of their type and no meaning.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, readSetting, VARIABLES } from '@sheaf/config';
import test from 'ava';
import { openConfiguration } from '../../support/configuration.ts';

const { folder, load } = openConfiguration();

const issuesOf = (environment: Record<string, string>) => {
  try {
    load(environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues;
  }
};

/** Of each variable, whatever is on: values that are refused, and values that are good. */
const VALUES: Readonly<Record<string, readonly [refused: readonly string[], good: readonly string[]]>> = {
  PUBLIC_URL: [
    ['x', 'papers.example.org', 'ftp://a', 'https://u:p@a', 'https://a/?x=1', 'https://a/#b', 'https://', 'https:// a'],
    ['http://localhost:8080', 'https://papers.example.org/below/'],
  ],
  CLOUD_OCR_ENDPOINT: [['x', 'https://a/?key=1'], ['https://name.cognitiveservices.azure.com']],
  S3_ENDPOINT_URL: [
    ['x', 'minio', 's3://bucket', 'https://u@minio', 'https://', 'a b:9000', ':9000'],
    ['minio:9000', 's3.example.org', 'https://minio', '[::1]:9000', 'http://127.0.0.1:9000/'],
  ],
  S3_REGION: [['eu central'], ['eu-central-1', 'auto']],
  TRACE_COLLECTOR_ENDPOINT: [['x', 'localhost:4318', 'grpc://a'], ['http://127.0.0.1:4318']],
  WEBHOOK_URL: [['x', 'hooks.example.org', 'https://u:p@a'], ['https://hooks.example.org/a?token=b']],
  SMTP_HOST: [
    ['smtp://mail', 'mail:25', 'a b'],
    ['mail', '::1', 'mail.example.org'],
  ],
  SMTP_FROM_ADDRESS: [
    ['nope', 'a@', '@b', 'a b@c', 'a@b@c', 'Sheaf <nope>', 'Sheaf papers@example.org', 'a@b,c@d', 'Sheaf <a@b'],
    ['papers@example.org', 'sheaf@nas', 'Sheaf <papers@example.org>', '"Sheaf, Inc." <papers@example.org>', '<a@b.example>'],
  ],
  OIDC_ISSUER_URL: [['x', 'id.example.com'], ['https://id.example.com/realms/main']],
  OIDC_TOKEN_ENDPOINT: [['/token'], ['https://id.example.com/token?p=1']],
  OIDC_USER_CLAIM: [['e mail'], ['realm_access.name', 'https://example.org/name']],
  OIDC_HOSTED_DOMAIN: [
    ['a b', 'example.org other.org', 'https://example.org', '@example.org', 'example', 'a..b'],
    ['example.org', 'EXAMPLE.ORG'],
  ],
  SAML2_SP_ENTITY_ID: [['a b'], ['urn:sheaf', 'https://papers.example.org/saml']],
  LDAP_BIND_DN: [
    ['nonsense', 'cn=a,b'],
    ['cn=sheaf,dc=example,dc=org', 'sheaf@example.org', 'EXAMPLE\\sheaf', 'cn="a, b",dc=x', 'cn=a\\, b,dc=x'],
  ],
  LDAP_BASE_DN: [
    ['nonsense', 'dc=example,', 'dc=a;;dc=b', '=x', 'dc="a', 'dc example=org'],
    ['dc=example,dc=org', 'o=x', '2.5.4.10=x, c=DE', 'ou=a+cn=b,dc=x'],
  ],
  LDAP_GROUP_SEARCH_BASE: [['groups'], ['ou=groups,dc=x']],
  LDAP_ADMIN_GROUP: [['admins'], ['cn=admins,dc=x']],
  LDAP_USER_FILTER: [
    [
      '((uid={username})',
      '(uid={username}))',
      '(uid={username}',
      '(&(uid={username})',
      '(&)',
      '(!(a={username})(b=c))',
      '({username})',
      '(uid=x)',
      '(|(uid={username})x)',
      '(uid=({username}))',
      '(uid={username})(mail={username})',
      `${'(!'.repeat(60)}(uid={username})${')'.repeat(60)}`,
    ],
    [
      '(uid={username})',
      'uid={username}',
      '(&(objectClass=person)(|(uid={username})(mail={username}))(!(locked=TRUE)))',
      '(memberOf:1.2.840.113556.1.4.1941:={username})',
      '(cn;lang-de={username})',
    ],
  ],
  LDAP_GROUP_FILTER: [['(member={username})', '(member={user_dn}'], ['(&(objectClass=group)(member={user_dn}))']],
  LDAP_USER_ATTR_MAP: [['{"email": "e mail"}', '{"email": ""}'], ['{"email": "mail;lang-de", "name": "2.5.4.3"}']],
  LDAP_GROUP_ROLE_MAPPING: [['{"staff": "nobody"}', '{"staff": 1}'], ['{"staff": "editor", "cn=a,dc=x": "auditor"}']],
  OIDC_GROUP_ROLE_MAPPING: [['{"staff": "editor", "all": "nobody"}'], ['{"staff": "viewer"}']],
  DEFAULT_USER_ROLE: [['nobody'], ['viewer']],
  WATCH_FILE_PATTERNS: [
    ['[a', '{a', '*.{pdf,txt}', '@(a', 'a,[!'],
    ['*', '[a-z]*.pdf', '[]a]', '\\[a', 'scan(1).pdf', 'a}'],
  ],
  WATCH_IGNORE_PATTERNS: [
    ['[a', 'x,{a'],
    ['.*,~*,*.tmp', '[!a]*'],
  ],
};

for (const [variable, [refused, good]] of Object.entries(VALUES)) {
  test(`${variable} takes what has a meaning, whatever is enabled`, (t) => {
    for (const value of refused) {
      const issues = issuesOf({ [variable]: value });
      t.deepEqual(
        issues.map((issue) => issue.variable),
        [variable],
        value,
      );
      t.regex(issues[0]?.message ?? '', /such as|must (?:name|be|close|contain)|expected|Invalid/, value);
    }
    for (const value of good) t.deepEqual(issuesOf({ [variable]: value }), [], value);
  });
}

test('a mapping may name a role of ROLES_FILE', (t) => {
  const file = join(folder, 'roles.yml');
  writeFileSync(file, 'roles: {archivist: {permissions: [documents.read.own]}}');
  t.deepEqual(issuesOf({ ROLES_FILE: file, OIDC_GROUP_ROLE_MAPPING: '{"a": "archivist"}' }), []);
});

test('an address is refused without the password in it being shown', (t) => {
  t.notRegex(JSON.stringify(issuesOf({ WEBHOOK_URL: 'https://ann:hidden@hooks.example.org' })), /hidden/);
});

test('a wrong value is told once, also where the feature that needs it is on', (t) => {
  const environments: readonly (readonly [string, Record<string, string>])[] = [
    ['WEBHOOK_URL', { WEBHOOK_ENABLED: 'true' }],
    ['LDAP_BASE_DN', { LDAP_SERVER: 'ldap://a' }],
    ['CLOUD_OCR_ENDPOINT', { OCR_ENGINE: 'cloud', CLOUD_OCR_KEY: 'k' }],
    ['TRACE_COLLECTOR_ENDPOINT', { TRACING_ENABLED: 'true' }],
  ];
  for (const [variable, environment] of environments)
    t.deepEqual(
      issuesOf({ ...environment, [variable]: 'x' }).map((issue) => issue.variable),
      [variable],
    );
});

const SAML = { SAML2_SP_ENTITY_ID: 'urn:sheaf', SAML2_SP_ACS_URL: 'https://a.example/api/auth/saml/acs' };

test('the metadata of SAML are an address or a file that is there', (t) => {
  writeFileSync(join(folder, 'idp.xml'), '<x/>');
  for (const value of ['x', '/nowhere/idp.xml', folder, 'ftp://id.example.org/metadata', 'https://'])
    t.deepEqual(
      issuesOf({ ...SAML, SAML2_IDP_METADATA_URL: value }).map((issue) => issue.variable),
      ['SAML2_IDP_METADATA_URL'],
      value,
    );
  for (const value of ['https://id.example.org/metadata', join(folder, 'idp.xml')])
    t.deepEqual(issuesOf({ ...SAML, SAML2_IDP_METADATA_URL: value }), [], value);
});

const OFF: readonly Record<string, string>[] = [
  { S3_BUCKET_NAME: 'bucket' },
  { S3_SECRET_ACCESS_KEY: 'x', S3_KMS_KEY_ID: 'key' },
  { S3_ENDPOINT_URL: 'http://minio', S3_USE_SSL: 'true' },
  { AZURE_STORAGE_CONTAINER: 'papers' },
  { LDAP_BIND_DN: 'cn=x', LDAP_TLS_CA_FILE: '/nowhere.pem' },
  { LDAP_BIND_PASSWORD: 'x' },
  { SAML2_SP_PRIVATE_KEY: '/nowhere.key' },
  { OIDC_SCOPES: 'profile' },
  { SMTP_HOST: 'mail' },
  { WEBHOOK_SECRET: 'x' },
  { CLOUD_OCR_KEY: 'x' },
  { EXPORTER_PORT: '8080' },
];

for (const environment of OFF)
  test(`${JSON.stringify(environment)} is good while what it is for is off`, (t) => t.deepEqual(issuesOf(environment), []));

test('a setting of the database has the same values as its variable', (t) => {
  t.regex(JSON.stringify(readSetting('watch_file_patterns', ['*.pdf', '[a'])), /must close each bracket/);
  t.deepEqual(readSetting('watch_file_patterns', ['*.pdf']), { text: '*.pdf', value: ['*.pdf'] });
});

/** What a text may be that no type says more of, each with its own reason. */
const PLAIN_TEXTS =
  /^(CONFIG_FILE|POSTGRES_|SERVER_|WATCH_FOLDER_OWNER|OCR_LANGUAGE|(WATCH_)?BARCODE_|S3_BUCKET_NAME|S3_PREFIX|AZURE_STORAGE_CONTAINER|ROLES_FILE|SESSION_COOKIE_NAME|API_KEY_HEADER|SMTP_USERNAME|OIDC_(CLIENT_ID|SCOPES|ADMIN_GROUP)|SAML2_(IDP_METADATA_URL|SP_X509_CERT|SP_PRIVATE_KEY|ADMIN_GROUP)|LDAP_TLS_CA_FILE|OUTBOUND_CA_FILE|MFA_ISSUER|WEBAUTHN_|SECURITY_CSP|DATABASE_SSL_|(HEALTH_CHECK|READY_CHECK|METRICS)_PATH|PROBE_HOST)/;

test('a variable has a type that says what it means, or is one whose text is free or checked elsewhere', (t) => {
  const plain = Object.entries(VARIABLES).filter(([, { schema }]) => schema === VARIABLES.CONFIG_FILE.schema);
  t.deepEqual(
    plain.map(([name]) => name).filter((name) => VARIABLES[name as keyof typeof VARIABLES].type === 'string' && !PLAIN_TEXTS.test(name)),
    [],
  );
});
