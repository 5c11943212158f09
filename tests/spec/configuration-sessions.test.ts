// The rows of the specification's tables about tokens, API keys and sessions: name, default, and where the value arrives.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '@sheaf/config';
import test from 'ava';
import { openConfiguration, type VariableRow } from '../support/configuration.ts';

const { folder, load } = openConfiguration();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SECRET = 's'.repeat(32);

const generated = (): string =>
  String((JSON.parse(readFileSync(join(folder, 'data', 'secrets.json'), 'utf8')) as Record<string, unknown>)['jwt_secret']);

const ROWS: readonly VariableRow[] = [
  { name: 'JWT_ENABLED', read: ({ tokens }) => tokens.enabled, byDefault: true, given: ['false', false] },
  { name: 'JWT_ALGORITHM', read: ({ tokens }) => tokens.algorithm, byDefault: 'HS256', given: ['HS512', 'HS512'] },
  { name: 'JWT_EXPIRY_MINUTES', read: ({ tokens }) => tokens.lifeMs, byDefault: HOUR, given: ['15', 15 * MINUTE] },
  { name: 'JWT_REFRESH_ENABLED', read: ({ tokens }) => tokens.refreshLifeMs !== undefined, byDefault: true, given: ['false', false] },
  { name: 'JWT_REFRESH_EXPIRY_DAYS', read: ({ tokens }) => tokens.refreshLifeMs, byDefault: 7 * DAY, given: ['30', 30 * DAY] },
  { name: 'API_KEY_ENABLED', read: ({ apiKeys }) => apiKeys.enabled, byDefault: true, given: ['false', false] },
  { name: 'API_KEY_HEADER', read: ({ apiKeys }) => apiKeys.header, byDefault: 'x-api-key', given: ['X-Paper-Key', 'x-paper-key'] },
  { name: 'API_KEY_EXPIRY_DAYS', read: ({ apiKeys }) => apiKeys.lifeMs, byDefault: 90 * DAY, given: ['10', 10 * DAY] },
  { name: 'SESSION_COOKIE_NAME', read: ({ sessions }) => sessions.cookie.name, byDefault: 'sheaf_session', given: ['paper', 'paper'] },
  { name: 'SESSION_COOKIE_SECURE', read: ({ sessions }) => sessions.cookie.secure, byDefault: undefined, given: ['true', true] },
  { name: 'SESSION_COOKIE_HTTPONLY', read: ({ sessions }) => sessions.cookie.httpOnly, byDefault: true, given: ['false', false] },
  { name: 'SESSION_COOKIE_SAMESITE', read: ({ sessions }) => sessions.cookie.sameSite, byDefault: 'lax', given: ['Strict', 'strict'] },
  { name: 'SESSION_LIFETIME_HOURS', read: ({ sessions }) => sessions.lifeMs, byDefault: DAY, given: ['8', 8 * HOUR] },
  { name: 'SESSION_IDLE_TIMEOUT_MINUTES', read: ({ sessions }) => sessions.idleMs, byDefault: HOUR, given: ['20', 20 * MINUTE] },
  { name: 'SESSION_TIMEOUT', read: ({ sessions }) => sessions.idleMs, byDefault: 3_600_000, given: ['900', 900_000] },
  { name: 'SESSION_REMEMBER_ME_DAYS', read: ({ sessions }) => sessions.rememberMeMs, byDefault: 30 * DAY, given: ['90', 90 * DAY] },
  { name: 'SESSION_MAX_CONCURRENT', read: ({ sessions }) => sessions.maxConcurrent, byDefault: undefined, given: ['5', 5] },
  {
    name: 'SESSION_BACKEND',
    read: ({ sessions }) => sessions.storeUrl?.reveal(),
    byDefault: undefined,
    given: ['redis', 'redis://store:6379/0'],
    beside: { STORE_SESSION_URL: 'redis://store:6379/0' },
  },
  {
    name: 'STORE_SESSION_URL',
    read: ({ sessions }) => sessions.storeUrl?.reveal(),
    byDefault: undefined,
    given: ['rediss://user:word@store:6380/1', 'rediss://user:word@store:6380/1'],
    beside: { SESSION_BACKEND: 'redis' },
  },
  { name: 'SESSION_CLEANUP_INTERVAL_HOURS', read: ({ sessions }) => sessions.cleanupMs, byDefault: HOUR, given: ['6', 6 * HOUR] },
];

for (const { name, read, byDefault, given, beside: others } of ROWS) {
  test(`${name} has its default and arrives`, (t) => {
    t.deepEqual(read(load()), byDefault);
    t.deepEqual(read(load({ ...others, [name]: given[0] })), given[1]);
  });
}

test('JWT_SECRET is generated once; JWT_SECRET_KEY is another name for it', (t) => {
  t.is(load().tokens.secret.reveal(), generated());
  t.is(load({ JWT_SECRET: SECRET }).tokens.secret.reveal(), SECRET);
  t.is(load({ JWT_SECRET_KEY: SECRET }).tokens.secret.reveal(), SECRET);
});

test('SESSION_IDLE_TIMEOUT_MINUTES goes before SESSION_TIMEOUT', (t) => {
  t.is(load({ SESSION_IDLE_TIMEOUT_MINUTES: '5', SESSION_TIMEOUT: '7200' }).sessions.idleMs, 5 * MINUTE);
});

const REFUSED: readonly (readonly [variable: string, environment: Record<string, string>])[] = [
  ['JWT_SECRET', { JWT_SECRET: 'short' }],
  ['JWT_ALGORITHM', { JWT_ALGORITHM: 'none' }],
  ['JWT_ALGORITHM', { JWT_ALGORITHM: 'RS256' }],
  ['JWT_EXPIRY_MINUTES', { JWT_EXPIRY_MINUTES: '0' }],
  ['STORE_SESSION_URL', { SESSION_BACKEND: 'redis' }],
  ['STORE_SESSION_URL', { SESSION_BACKEND: 'redis', STORE_SESSION_URL: 'http://store:6379' }],
  ['SESSION_COOKIE_SAMESITE', { SESSION_COOKIE_SAMESITE: 'None' }],
  ['SESSION_COOKIE_SAMESITE', { SESSION_COOKIE_SAMESITE: 'None', SESSION_COOKIE_SECURE: 'false' }],
  ['SESSION_COOKIE_NAME', { SESSION_COOKIE_NAME: 'a name; Domain=evil' }],
  ['SESSION_COOKIE_NAME', { SESSION_COOKIE_NAME: '__Host-paper' }],
  ['API_KEY_HEADER', { API_KEY_HEADER: 'Authorization' }],
  ['API_KEY_HEADER', { API_KEY_HEADER: 'X Key' }],
];

for (const [variable, environment] of REFUSED) {
  test(`${JSON.stringify(environment)} is refused with the name of ${variable}`, (t) => {
    const error = t.throws(() => load(environment), { instanceOf: ConfigError });
    t.deepEqual(
      error.issues.map((issue) => issue.variable),
      [variable],
    );
  });
}

test('SESSION_COOKIE_SAMESITE=None and __Host- names are taken over HTTPS', (t) => {
  const { cookie } = load({ SESSION_COOKIE_SAMESITE: 'None', SESSION_COOKIE_SECURE: 'true', SESSION_COOKIE_NAME: '__Host-paper' }).sessions;
  t.like(cookie, { sameSite: 'none', secure: true, name: '__Host-paper' });
});
