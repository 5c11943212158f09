// The rows of the specification that the surface of the api is made from: name, default, and where the value arrives.
import { ConfigError } from '@sheaf/config';
import test from 'ava';
import { openConfiguration, type VariableRow } from '../support/configuration.ts';

const { load } = openConfiguration();

const ROWS: readonly VariableRow[] = [
  {
    table: 'Security headers',
    name: 'SECURITY_HEADERS_ENABLED',
    read: ({ headers }) => headers.enabled,
    byDefault: true,
    given: ['false', false],
  },
  {
    table: 'Security headers',
    name: 'SECURITY_CSP',
    read: ({ headers }) => headers.contentSecurityPolicy?.split('; ')[0],
    byDefault: "default-src 'self'",
    given: ["default-src 'none'", "default-src 'none'"],
  },
  {
    table: 'Security headers',
    name: 'SECURITY_HSTS_SECONDS',
    read: ({ headers }) => headers.hstsSeconds,
    byDefault: 31_536_000,
    given: ['0', 0],
  },
  {
    table: 'Security headers',
    name: 'SECURITY_HSTS_INCLUDE_SUBDOMAINS',
    read: ({ headers }) => headers.hstsIncludeSubdomains,
    byDefault: false,
    given: ['true', true],
  },
  {
    table: 'Security headers',
    name: 'SECURITY_X_FRAME_OPTIONS',
    read: ({ headers }) => headers.frameOptions,
    byDefault: 'sameorigin',
    given: ['DENY', 'deny'],
  },
  {
    table: 'Security headers',
    name: 'SECURITY_X_CONTENT_TYPE_OPTIONS',
    read: ({ headers }) => headers.noSniff,
    byDefault: true,
    given: ['false', false],
  },
  {
    table: 'Security headers',
    name: 'SECURITY_REFERRER_POLICY',
    read: ({ headers }) => headers.referrerPolicy,
    byDefault: 'same-origin',
    given: ['no-referrer', 'no-referrer'],
  },
  { table: 'Network', name: 'CORS_ENABLED', read: ({ cors }) => cors.enabled, byDefault: true, given: ['false', false] },
  {
    table: 'Network',
    name: 'CORS_ALLOWED_ORIGINS',
    read: ({ cors }) => cors.origins,
    byDefault: 'any',
    given: ['https://a.example.org, http://localhost:3000', ['https://a.example.org', 'http://localhost:3000']],
  },
  {
    table: 'Network',
    name: 'CORS_ALLOWED_METHODS',
    read: ({ cors }) => cors.methods,
    byDefault: ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'],
    given: ['get,patch', ['GET', 'PATCH']],
  },
  {
    table: 'Network',
    name: 'CORS_ALLOWED_HEADERS',
    read: ({ cors }) => cors.headers,
    byDefault: 'any',
    given: ['Authorization,X-API-Key', ['Authorization', 'X-API-Key']],
  },
  { table: 'Network', name: 'CORS_MAX_AGE', read: ({ cors }) => cors.maxAgeSeconds, byDefault: 3_600, given: ['60', 60] },
  { table: 'Network', name: 'PROXY_COUNT', read: ({ trustedProxies }) => trustedProxies, byDefault: 0, given: ['2', 2] },
  {
    table: 'Network',
    name: 'TRUSTED_PROXIES',
    read: ({ trustedProxies }) => trustedProxies,
    byDefault: 0,
    given: ['10.0.0.5,fd00::/8', ['10.0.0.5', 'fd00::/8']],
  },
  { table: 'Limits', name: 'RATE_LIMIT_ENABLED', read: ({ rateLimit }) => rateLimit.enabled, byDefault: true, given: ['false', false] },
  { table: 'Limits', name: 'RATE_LIMIT_PER_MINUTE', read: ({ rateLimit }) => rateLimit.perMinute, byDefault: 100, given: ['5', 5] },
  { table: 'Limits', name: 'burst (RATE_LIMIT_BURST)', read: ({ rateLimit }) => rateLimit.burst, byDefault: 20, given: ['0', 0] },
  {
    table: 'Limits',
    name: 'uploads (RATE_LIMIT_UPLOADS_PER_MINUTE)',
    read: ({ rateLimit }) => rateLimit.uploadsPerMinute,
    byDefault: 10,
    given: ['1', 1],
  },
  {
    table: 'Limits',
    name: 'RATE_LIMIT_BROWSER_PER_MINUTE',
    read: ({ rateLimit }) => rateLimit.browserPerMinute,
    byDefault: 1_200,
    given: ['7', 7],
  },
];

/** The variable of a row that the specification has without a name for it. */
const variableOf = (name: string): string => /\((\w+)\)$/.exec(name)?.[1] ?? name;

for (const { table, name, read, byDefault, given } of ROWS) {
  test(`${table}: ${name}`, (t) => {
    t.deepEqual(read(load()), byDefault, 'by default');
    t.deepEqual(read(load({ [variableOf(name)]: given[0] })), given[1], 'when set');
  });
}

const WRONG: readonly (readonly [variable: string, text: string, says: RegExp])[] = [
  ['CORS_ALLOWED_ORIGINS', 'https://app.example.org/', /without path/],
  ['CORS_ALLOWED_ORIGINS', 'https://app.example.org:443', /default port/],
  ['CORS_ALLOWED_ORIGINS', 'app.example.org', /such as https/],
  ['CORS_ALLOWED_ORIGINS', 'https://*.example.org', /such as https/],
  ['CORS_ALLOWED_ORIGINS', 'null', /such as https/],
  ['CORS_ALLOWED_ORIGINS', '*,https://app.example.org', /either \*/],
  ['CORS_ALLOWED_METHODS', 'GET,FETCH', /FETCH/],
  ['CORS_ALLOWED_HEADERS', 'Authorization,X Y', /X Y/],
  ['CORS_MAX_AGE', '-1', /./],
  ['TRUSTED_PROXIES', '10.0.0.5,proxy.example.org', /proxy\.example\.org/],
  ['TRUSTED_PROXIES', '10.0.0.0/33', /10\.0\.0\.0\/33/],
  ['TRUSTED_PROXIES', '0.0.0.0/0', /every client/],
  ['PROXY_COUNT', 'one', /whole number/],
  ['SECURITY_CSP', "default-src 'self'\nX-Injected: 1", /one line/],
  ['SECURITY_CSP', "'self'", /directives such as/],
  ['SECURITY_X_FRAME_OPTIONS', 'ALLOW-FROM https://a.example.org', /./],
  ['SECURITY_X_CONTENT_TYPE_OPTIONS', 'sniff', /./],
  ['SECURITY_REFERRER_POLICY', 'never', /./],
  ['SECURITY_HSTS_SECONDS', '1.5', /whole number/],
  ['RATE_LIMIT_PER_MINUTE', '0', /./],
];

for (const [variable, text, says] of WRONG) {
  test(`${variable}=${JSON.stringify(text)} is refused at start`, (t) => {
    const error = t.throws(() => load({ [variable]: text }), { instanceOf: ConfigError });
    t.deepEqual(
      error?.issues.map((issue) => issue.variable),
      [variable],
    );
    t.regex(error?.issues[0]?.message ?? '', says);
  });
}

test('addresses of proxies go before their number', (t) => {
  t.deepEqual(load({ PROXY_COUNT: '3', TRUSTED_PROXIES: '10.0.0.5' }).trustedProxies, ['10.0.0.5']);
});

test('who may show a page in a frame is said in both headers alike, unless the policy is given', (t) => {
  const policyFor = (environment: Record<string, string>) => load(environment).headers.contentSecurityPolicy ?? '';
  t.regex(policyFor({}), /frame-ancestors 'self'/);
  t.regex(policyFor({ SECURITY_X_FRAME_OPTIONS: 'DENY' }), /frame-ancestors 'none'/);
  t.notRegex(policyFor({ SECURITY_X_FRAME_OPTIONS: 'off' }), /frame-ancestors/);
  t.is(policyFor({ SECURITY_X_FRAME_OPTIONS: 'DENY', SECURITY_CSP: "default-src 'self'" }), "default-src 'self'");
  t.is(load({ SECURITY_CSP: 'off' }).headers.contentSecurityPolicy, undefined);
});
