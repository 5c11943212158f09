import { ConfigError } from '@sheaf/config';
import test from 'ava';
import { openConfiguration } from '../../support/configuration.ts';

const { load } = openConfiguration();

const REFUSED: readonly (readonly [variable: string, message: RegExp, environment: Record<string, string>])[] = [
  ['ADMIN_PASSWORD', /at least 8 characters/, { ADMIN_PASSWORD: 'abc' }],
  ['ADMIN_PASSWORD', /a digit/, { ADMIN_PASSWORD: 'without any', PASSWORD_REQUIRE_NUMBERS: 'true' }],
  ['ADMIN_PASSWORD', /special character/, { ADMIN_PASSWORD: 'lettersonly1', PASSWORD_REQUIRE_SPECIAL: 'true' }],
  ['SERVER_ADDRESS', /host:port/, { SERVER_ADDRESS: '127.0.0.1:99999' }],
  ['PROBE_PORT_BASE', /64000/, { PROBE_PORT_BASE: '65530' }],
  ['DATABASE_SSL_MODE', /embedded database/, { DATABASE_SSL_MODE: 'require' }],
  ['EXPORTER_PORT', /port of the api \(SERVER_PORT\)/, { EXPORTER_ENABLED: 'true', EXPORTER_PORT: '8080' }],
  ['EXPORTER_PORT', /SERVER_ADDRESS/, { EXPORTER_ENABLED: 'true', EXPORTER_PORT: '81', SERVER_ADDRESS: '[::]:81' }],
  ['EXPORTER_PORT', /PROBE_PORT_BASE=9100.*another port/, { EXPORTER_ENABLED: 'true', EXPORTER_PORT: '9120' }],
  ['EXPORTER_PORT', /PROBE_PORT_BASE/, { EXPORTER_ENABLED: 'true', EXPORTER_PORT: '9132', OCR_WORKER_PROCESSES: '3' }],
  ['PROBE_PORT_BASE', /port of the api \(SERVER_PORT\)/, { SERVER_PORT: '9100' }],
  ['SERVER_HOST', /without http:/, { SERVER_HOST: 'http://localhost' }],
  ['SERVER_HOST', /brackets/, { SERVER_HOST: '[::1]' }],
  ['SERVER_HOST', /such as/, { SERVER_HOST: 'not a host' }],
  ['PROBE_HOST', /such as/, { PROBE_HOST: '127.0.0.1:9100' }],
  ['SERVER_ADDRESS', /host:port/, { SERVER_ADDRESS: 'not a host:80' }],
  ['SERVER_ADDRESS', /\[::\]:8080/, { SERVER_ADDRESS: '::1:8080' }],
  ['POSTGRES_HOST', /POSTGRES_PORT/, { POSTGRES_HOST: 'db:5432' }],
  ['POSTGRES_HOST', /socket folder/, { POSTGRES_HOST: 'ex ample' }],
  ['POSTGRES_PORT', /whole number, and is "tcp:\/\/10.96.0.1:5432"/, { POSTGRES_PORT: 'tcp://10.96.0.1:5432' }],
  ['POSTGRES_PORT', /between 1 and 65535/, { POSTGRES_PORT: '70000' }],
  [
    'DATABASE_URL',
    /unknown target_session_attrs; valid values are any, read-write/,
    { DATABASE_URL: 'postgres://h/d?target_session_attrs=main' },
  ],
  ['DATABASE_URL', /host1:5432,host2:5432/, { DATABASE_URL: 'postgres://u:p@h1:5432,h2:x/d' }],
  ['DATABASE_URL', /host1:5432,host2:5432/, { DATABASE_URL: 'postgres://u:p@h1,,h2/d' }],
  ['DATABASE_URL', /as many ports as hosts/, { DATABASE_URL: 'postgres://u:p@h1/d?host=h1,h2,h3&port=1,2' }],
  ['DATABASE_DIRECT_URL', /requires DATABASE_URL/, { DATABASE_DIRECT_URL: 'postgres://u:p@h/d' }],
  ['DATABASE_DIRECT_URL', /must be a URL/, { DATABASE_DIRECT_URL: 'h:5432', DATABASE_URL: 'postgres://u:p@pooler/d' }],
  ['UPLOAD_PATH', /must not start with ~/, { UPLOAD_PATH: '~/papers' }],
  ['LOCAL_SOURCE_ROOTS', /must not start with ~.*, and is "\/srv,~\/papers"/, { LOCAL_SOURCE_ROOTS: '/srv,~/papers' }],
  ['LOG_LEVEL', /one of debug, info, warn, error, and is "\\"info\\""/, { LOG_LEVEL: '"info"' }],
  ['REQUEST_TIMEOUT', /whole number, and is "30s"/, { REQUEST_TIMEOUT: '30s' }],
  ['WATCH_INTERVAL_SECONDS', /between 1 and 2147483, and is "99999999999999999999"/, { WATCH_INTERVAL_SECONDS: '99999999999999999999' }],
  ['OCR_LANGUAGE', /each language only once/, { OCR_LANGUAGE: 'eng+deu+eng' }],
  ['MEMORY_LIMIT_MB', /at least 512.*increase it$/, { MEMORY_LIMIT_MB: '511' }],
  ['MEMORY_LIMIT_MB', /at least 672.*OCR_WORKER_PROCESSES$/, { MEMORY_LIMIT_MB: '671', OCR_WORKER_PROCESSES: '3' }],
  [
    'DATABASE_MIN_CONNECTIONS',
    /DATABASE_MAX_CONNECTIONS=10; reduce it/,
    { DATABASE_MIN_CONNECTIONS: '11', DATABASE_MAX_CONNECTIONS: '10' },
  ],
];

for (const [variable, message, environment] of REFUSED)
  test(`${JSON.stringify(environment)} is refused at start`, (t) => {
    const { issues } = t.throws(() => load(environment), { instanceOf: ConfigError });
    t.deepEqual(
      issues.map((issue) => issue.variable),
      [variable],
    );
    t.regex(issues[0]?.message ?? '', message);
  });

test('require is what it says for a database that is named', (t) => {
  t.is(load({ DATABASE_SSL_MODE: 'require', POSTGRES_HOST: 'db.example.org' }).database.tls.mode, 'require');
});

const ALLOWED: readonly Record<string, string>[] = [
  { SERVER_HOST: '::1' },
  { SERVER_HOST: 'db_1.example.org.' },
  { SERVER_ADDRESS: '[::]:8080' },
  { SERVER_ADDRESS: '[::ffff:127.0.0.1]:8080' },
  { PROBE_PORT_BASE: '8080', SERVER_HOST: '192.0.2.1' },
  { EXPORTER_ENABLED: 'false', EXPORTER_PORT: '8080' },
  { EXPORTER_ENABLED: 'true', EXPORTER_PORT: '0', SERVER_PORT: '0', PROBE_PORT_BASE: '0' },
  { EXPORTER_ENABLED: 'true', EXPORTER_PORT: '9132' },
  { EXPORTER_ENABLED: 'true', EXPORTER_PORT: '8080', SERVER_HOST: '192.0.2.1' },
  { WATCH_IGNORE_PATTERNS: '~/**' },
  { MEMORY_LIMIT_MB: '512' },
  { MEMORY_LIMIT_MB: '672', OCR_WORKER_PROCESSES: '3' },
  { DATABASE_MIN_CONNECTIONS: '10', DATABASE_MAX_CONNECTIONS: '10' },
];

for (const environment of ALLOWED)
  test(`${JSON.stringify(environment)} is good`, (t) => {
    t.notThrows(() => load(environment));
  });

test('who lowers the most connections alone lowers the least with it', (t) => {
  t.like(load({ DATABASE_MAX_CONNECTIONS: '3' }).database, { minConnections: 3, maxConnections: 3 });
});

const PASSWORDS = ['pa/ss', '1/ss', 'p@s/s', 'pa#ss', '12#ss', 'pa?ss', '50%', 'p[ss/'];

for (const password of PASSWORDS)
  test(`the password ${password} in DATABASE_URL, not percent-encoded, is refused with what to do, and works encoded or alone`, (t) => {
    const urlOf = (text: string): string => `postgresql://me:${text}@db.example.org:5433/papers`;
    const { issues } = t.throws(() => load({ DATABASE_URL: urlOf(password) }), { instanceOf: ConfigError });
    t.is(issues[0]?.variable, 'DATABASE_URL');
    t.regex(issues[0]?.message ?? '', /Percent-encode.*POSTGRES_PASSWORD/);
    t.false(issues[0]?.message.includes(password), 'a message shows no password');
    t.is(load({ DATABASE_URL: urlOf(encodeURIComponent(password)) }).database.url?.reveal(), urlOf(encodeURIComponent(password)));
    const ofParts = new URL(load({ POSTGRES_PASSWORD: password }).database.url?.reveal() ?? '');
    t.is(decodeURIComponent(ofParts.password), password);
  });

test('several hosts of DATABASE_URL are read in their order, with passwords, ports and addresses of all forms', (t) => {
  const url = new URL(
    load({ DATABASE_URL: 'postgres://me:a%2Cb@db1.example.org:5433,[::1],db2:6000/papers?sslmode=require' }).database.url?.reveal() ?? '',
  );
  t.deepEqual([url.searchParams.get('host'), url.searchParams.get('port')], ['db1.example.org,::1,db2', '5433,5432,6000']);
  t.deepEqual([url.username, url.password, url.pathname, url.searchParams.get('sslmode')], ['me', 'a%2Cb', '/papers', 'require']);
  const one = 'postgres://me:a,b@db/papers';
  t.is(load({ DATABASE_URL: one }).database.url?.reveal(), one);
  const pooled = load({ DATABASE_URL: 'postgres://u:p@pooler:6432/d', DATABASE_DIRECT_URL: 'postgres://u:p@h1,h2/d' });
  t.is(new URL(pooled.directDatabaseUrl?.reveal() ?? '').searchParams.get('host'), 'h1,h2');
});

test('blanks around a value are not part of it, but for a secret', (t) => {
  const config = load({
    LOG_LEVEL: 'info ',
    OCR_DPI: '\t200\r\n',
    RATE_LIMIT_ENABLED: ' false',
    UPLOAD_PATH: '/srv/papers\r',
    PROBE_HOST: '  ',
  });
  t.deepEqual([config.log.level, config.ocr.dpi, config.rateLimit.enabled, config.probes.host], ['info', 200, false, '127.0.0.1']);
  t.is(config.storage.path, '/srv/papers');
  t.is(load({ POSTGRES_PASSWORD: ' a b ' }).database.url?.reveal(), 'postgresql://sheaf:%20a%20b%20@localhost:5432/sheaf');
});

test('no issue tells a secret', (t) => {
  const { message } = t.throws(() =>
    load({ ADMIN_PASSWORD: 'geheim', JWT_SECRET: 'geheim', DATABASE_URL: 'geheim', CLOUD_OCR_KEY: 'ge heim' }),
  );
  t.false(message.includes('heim'));
});

test('an address of IPv6 and the folder of a socket are where the database is looked for', (t) => {
  t.is(load({ POSTGRES_HOST: '::1' }).database.url?.reveal(), 'postgresql://sheaf:sheaf@[::1]:5432/sheaf');
  const url = new URL(load({ POSTGRES_HOST: '/var/run/postgresql' }).database.url?.reveal() ?? '');
  t.is(url.searchParams.get('host'), '/var/run/postgresql');
});

const WAITS = [
  'WATCH_INTERVAL_SECONDS',
  'SOURCE_CHECK_INTERVAL',
  'HEALTH_CHECK_INTERVAL',
  'REQUEST_TIMEOUT',
  'DATABASE_ACQUIRE_TIMEOUT',
  'DATABASE_CONNECT_TIMEOUT',
  'DATABASE_IDLE_TIMEOUT',
  'DATABASE_MAX_LIFETIME',
  'OCR_TIMEOUT_SECONDS',
  'OCR_LEASE_SECONDS',
  'OFFICE_TIMEOUT_SECONDS',
  'SHUTDOWN_GRACE_SECONDS',
];

test('nothing that waits is given a time at which a timer would not wait at all', (t) => {
  const { issues } = t.throws(() => load(Object.fromEntries(WAITS.map((name) => [name, '2147484']))), { instanceOf: ConfigError });
  t.deepEqual(issues.map(({ variable }) => variable).toSorted(), WAITS.toSorted());
});
