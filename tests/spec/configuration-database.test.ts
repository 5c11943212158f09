// The rows of the specification's table "Database connection": default, where another value arrives, and what is refused at the start.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '@sheaf/config';
import test from 'ava';
import { makeKeyPair } from '../support/certificate.ts';
import { openConfiguration, type VariableRow } from '../support/configuration.ts';

const { folder, load } = openConfiguration();

const [certificate, key, otherKey] = ['client.crt', 'client.key', 'other.key'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];

test.before(async () => {
  const [pair, other] = await Promise.all([makeKeyPair('sheaf'), makeKeyPair('other')]);
  await writeFile(certificate, pair.certificate);
  await writeFile(key, pair.key);
  await writeFile(otherKey, other.key);
});

const ROWS: readonly VariableRow[] = [
  { name: 'DATABASE_MAX_CONNECTIONS', read: ({ database }) => database.maxConnections, byDefault: 32, given: ['10', 10] },
  { name: 'DATABASE_MIN_CONNECTIONS', read: ({ database }) => database.minConnections, byDefault: 5, given: ['1', 1] },
  { name: 'DATABASE_CONNECT_TIMEOUT', read: ({ database }) => database.connectTimeoutMs, byDefault: 5_000, given: ['1', 1_000] },
  { name: 'DATABASE_ACQUIRE_TIMEOUT', read: ({ database }) => database.acquireTimeoutMs, byDefault: 10_000, given: ['3', 3_000] },
  { name: 'DATABASE_IDLE_TIMEOUT', read: ({ database }) => database.idleTimeoutMs, byDefault: 600_000, given: ['1', 1_000] },
  { name: 'DATABASE_MAX_LIFETIME', read: ({ database }) => database.maxLifetimeMs, byDefault: 1_800_000, given: ['60', 60_000] },
  { name: 'DATABASE_SSL_MODE', read: ({ database }) => database.tls.mode, byDefault: 'prefer', given: ['disable', 'disable'] },
  {
    name: 'DATABASE_SSL_CERT',
    read: ({ database }) => database.tls.certificateFile,
    byDefault: undefined,
    given: [certificate, certificate],
    beside: { DATABASE_SSL_KEY: key },
  },
  {
    name: 'DATABASE_SSL_KEY',
    read: ({ database }) => database.tls.keyFile,
    byDefault: undefined,
    given: [key, key],
    beside: { DATABASE_SSL_CERT: certificate },
  },
  {
    name: 'DATABASE_SSL_ROOT_CERT',
    read: ({ database }) => database.tls.rootCertificateFile,
    byDefault: undefined,
    given: [certificate, certificate],
  },
  { name: 'DATABASE_POOL_SIZE', read: ({ database }) => database.maxConnections, byDefault: 32, given: ['9', 9] },
  { name: 'POSTGRES_MAX_CONNECTIONS', read: ({ database }) => database.maxConnections, byDefault: 32, given: ['9', 9] },
];

for (const { name, read, byDefault, given, beside = {} } of ROWS)
  test(`Database connection: ${name}`, (t) => {
    t.deepEqual(read(load()), byDefault, 'by default');
    t.deepEqual(read(load({ ...beside, [name]: given[0] })), given[1], 'when set');
  });

test('Database connection: DATABASE_SSL_MODE is disable, prefer or require', (t) => {
  for (const mode of ['disable', 'prefer', 'require'] as const)
    t.is(load({ DATABASE_SSL_MODE: mode, POSTGRES_HOST: 'db' }).database.tls.mode, mode);
  t.throws(() => load({ DATABASE_SSL_MODE: 'sometimes' }), { instanceOf: ConfigError, message: /DATABASE_SSL_MODE/ });
});

test('Database connection: files that are missing, wrong or without their other half are refused with the name of the variable', (t) => {
  const refused = (environment: Record<string, string>, message: RegExp): unknown =>
    t.throws(() => load(environment), { instanceOf: ConfigError, message });
  const nowhere = join(folder, 'nowhere.pem');
  refused({ DATABASE_SSL_ROOT_CERT: nowhere }, /^DATABASE_SSL_ROOT_CERT names a file that cannot be read: ENOENT/);
  refused({ DATABASE_SSL_ROOT_CERT: folder }, /^DATABASE_SSL_ROOT_CERT names a file that cannot be read: .* is not a regular file$/);
  refused({ DATABASE_SSL_ROOT_CERT: key }, /^DATABASE_SSL_ROOT_CERT names a file that is not valid PEM/);
  refused({ DATABASE_SSL_CERT: nowhere, DATABASE_SSL_KEY: nowhere }, /^DATABASE_SSL_CERT .*ENOENT.*\nDATABASE_SSL_KEY .*ENOENT/);
  refused({ DATABASE_SSL_CERT: certificate }, /^DATABASE_SSL_CERT requires DATABASE_SSL_KEY/);
  refused({ DATABASE_SSL_KEY: key }, /^DATABASE_SSL_KEY requires DATABASE_SSL_CERT/);
  refused({ DATABASE_SSL_CERT: certificate, DATABASE_SSL_KEY: otherKey }, /^DATABASE_SSL_KEY does not match DATABASE_SSL_CERT/);
  const url = 'postgresql://a:b@c:1/d';
  refused({ DATABASE_URL: `${url}?sslmode=sometimes` }, /^DATABASE_URL has an unknown sslmode/);
  refused({ DATABASE_URL: `${url}?sslrootcert=${nowhere}` }, /^DATABASE_URL sslrootcert names a file that cannot be read/);
});
