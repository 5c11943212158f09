import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { checkConfig, derivedValues, VARIABLES, type VariableName, variableMeaning } from '@sheaf/config';
import test from 'ava';
import { openConfiguration } from '../../support/configuration.ts';

const { folder } = openConfiguration();

const derivedOf = (environment: Record<string, string> = {}) => {
  const { values, raw } = checkConfig({ environment: { DATA_PATH: join(folder, 'data'), ...environment } });
  return derivedValues(values, raw);
};

test('what is in effect without being set is told', (t) => {
  t.like(derivedOf(), {
    DATABASE_URL: 'postgresql://sheaf:***@127.0.0.1:54329/sheaf',
    SERVER_ADDRESS: '0.0.0.0:8080',
    PUBLIC_URL: 'http://localhost:8080',
    TEMP_STORAGE_PATH: resolve('uploads/temp'),
    THUMBNAIL_PATH: resolve('uploads/thumbnails'),
    BACKUP_PATH: resolve('uploads/backups'),
    CONCURRENT_OCR_JOBS: String(Math.max(1, Math.floor(availableParallelism() / 2))),
    SESSION_COOKIE_SECURE: '(if the sign-in used HTTPS)',
    SESSION_IDLE_TIMEOUT_MINUTES: '60',
    ALLOWED_FILE_TYPES: 'pdf,txt,doc,docx,png,jpg,jpeg,xml',
    JWT_SECRET: '(generated)',
    CPU_CORES: String(availableParallelism()),
  });
});

test('what follows from other variables follows them', (t) => {
  t.like(
    derivedOf({
      POSTGRES_HOST: 'db.example.org',
      POSTGRES_PASSWORD: 'hidden',
      UPLOAD_PATH: join(folder, 'papers'),
      SERVER_HOST: '::1',
      BARCODE_ENABLED: 'true',
      LDAP_SERVER: 'ldap://a',
      LDAP_BASE_DN: 'dc=x',
      WEBAUTHN_RP_ID: 'docs.example.org',
    }),
    {
      POSTGRES_PORT: '5432',
      POSTGRES_DB: 'sheaf',
      TEMP_STORAGE_PATH: join(folder, 'papers/temp'),
      SERVER_ADDRESS: '[::1]:8080',
      WATCH_BARCODE_ENABLED: 'true',
      LDAP_GROUP_SEARCH_BASE: 'dc=x',
      WEBAUTHN_ORIGIN: 'https://docs.example.org',
    },
  );
  const given = derivedOf({ SERVER_ADDRESS: '127.0.0.1:9', ALLOWED_FILE_TYPES: 'pdf', SESSION_COOKIE_SECURE: 'true' });
  for (const name of ['SERVER_ADDRESS', 'ALLOWED_FILE_TYPES', 'SESSION_COOKIE_SECURE'] as const) t.is(given[name], undefined);
});

test('each variable whose meaning names in brackets what counts without it has that told', (t) => {
  const derived = derivedOf({
    POSTGRES_USER: 'me',
    LDAP_SERVER: 'ldap://a',
    LDAP_BASE_DN: 'dc=x',
    WEBAUTHN_RP_ID: 'docs.example.org',
    S3_SERVER_SIDE_ENCRYPTION: 'aws:kms',
  });
  const named = (Object.keys(VARIABLES) as VariableName[]).filter(
    (name) =>
      VARIABLES[name].default === undefined && /\((?!CIDR|UPLOAD_PATH$)[^)]*\)/.test(variableMeaning(name).replaceAll(/such as[^;]*/g, '')),
  );
  const OTHERS: readonly string[] = [
    'CONFIG_FILE',
    'OIDC_AUDIENCE',
    'OIDC_ISSUER_URL',
    'METRICS_ALLOWED_NETWORKS',
    'OUTBOUND_ALLOWED_NETWORKS',
    'TRUSTED_PROXIES',
    'TRACE_COLLECTOR_ENDPOINT',
    'WEBAUTHN_RP_ID',
    'WEBHOOK_SECRET',
    'SAML2_IDP_METADATA_URL',
    'POSTGRES_USER',
  ];
  t.deepEqual(
    named.filter((name) => derived[name] === undefined && !OTHERS.includes(name)),
    [],
  );
});
