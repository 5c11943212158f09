// What is learnt of a provider: where it may come from, how long it is kept, and what anybody is informed of it.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { OidcCheck, OidcDriver, type OidcSettings } from '@sheaf/accounts';
import { type GuardedFetch, makeGuardedFetch } from '@sheaf/outbound';
import { type Clock, silentLogger } from '@sheaf/process';
import { type TestDatabase } from '@sheaf/testkit';
import type { ExecutionContext } from 'ava';
import { LOOPBACK_FETCH, oidcSettings } from '../../support/given-oidc.ts';
import { startOidcProvider } from '../../support/oidc-provider.ts';
import { testWithDatabase } from '../../support/test-database.ts';

const test = testWithDatabase();

const AWAY = { code: 'SERVICE_UNAVAILABLE' };

class HandClock implements Clock {
  #now = Date.now();
  now(): Date {
    return new Date(this.#now);
  }
  pass(ms: number): void {
    this.#now += ms;
  }
}

const serve = async (t: ExecutionContext<TestDatabase>, listener: RequestListener): Promise<{ origin: string; count: () => number }> => {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => count };
};

const makeDriver = (db: TestDatabase['db'], issuer: string, clock: Clock = new HandClock(), settings: Partial<OidcSettings> = {}) =>
  new OidcDriver({ settings: oidcSettings(issuer, settings), fetch: LOOPBACK_FETCH, db, clock, log: silentLogger() });

const documentOf = (issuer: string, changes: Record<string, unknown> = {}): string =>
  JSON.stringify({
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    id_token_signing_alg_values_supported: ['RS256'],
    ...changes,
  });

const json = { 'content-type': 'application/json' };

test('a provider that is away is asked again in growing distance, and its return is noticed', async (t) => {
  const clock = new HandClock();
  let isAway = true;
  const { origin, count } = await serve(t, (_request, response) => {
    if (isAway) response.writeHead(500).end();
    else response.writeHead(200, json).end(documentOf(origin));
  });
  const driver = makeDriver(t.context.db, origin, clock);
  await t.throwsAsync(driver.start(), AWAY);
  await t.throwsAsync(driver.start(), AWAY);
  t.is(count(), 1, 'not asked at once again');
  clock.pass(1_000);
  await t.throwsAsync(driver.start(), AWAY);
  clock.pass(900);
  await t.throwsAsync(driver.start(), AWAY);
  t.is(count(), 2, 'a longer pause after the second failure');
  isAway = false;
  clock.pass(60_000);
  await driver.start();
  await driver.start();
  t.is(count(), 3, 'and kept');
});

test('what is known of a provider is kept while it is away', async (t) => {
  const clock = new HandClock();
  let isAway = false;
  const { origin } = await serve(t, (_request, response) => {
    if (isAway) response.destroy();
    else response.writeHead(200, json).end(documentOf(origin));
  });
  const driver = makeDriver(t.context.db, origin, clock);
  await driver.start();
  isAway = true;
  clock.pass(2 * 60 * 60_000);
  t.true((await driver.start()).url.startsWith(`${origin}/auth`));
});

test('many who sign in at the same time cost one question', async (t) => {
  const { origin, count } = await serve(t, (_request, response) => void response.writeHead(200, json).end(documentOf(origin)));
  const driver = makeDriver(t.context.db, origin);
  await Promise.all(Array.from({ length: 10 }, () => driver.start()));
  t.is(count(), 1);
});

test('a description that is elsewhere is not fetched', async (t) => {
  const elsewhere = await serve(t, (_request, response) => void response.writeHead(200, json).end(documentOf(origin)));
  const { origin } = await serve(t, (_request, response) => void response.writeHead(302, { location: `${elsewhere.origin}/x` }).end());
  await t.throwsAsync(makeDriver(t.context.db, origin).start(), AWAY);
  t.is(elsewhere.count(), 0);
});

for (const [title, text] of [
  ['of another issuer', () => documentOf('https://evil.example')],
  [
    'without a signature that only the provider can make',
    (own: string) => documentOf(own, { id_token_signing_alg_values_supported: ['HS256', 'none'] }),
  ],
  ['that is too long', (own: string) => documentOf(own, { padding: 'x'.repeat(2 * 1024 * 1024) })],
  ['that is no JSON', () => '<html>'],
] as const) {
  test(`a description ${title} is refused`, async (t) => {
    const { origin } = await serve(t, (_request, response) => void response.writeHead(200, json).end(text(origin)));
    await t.throwsAsync(makeDriver(t.context.db, origin).start(), AWAY);
  });
}

test('a description for many organisations is refused: any of them could sign in', async (t) => {
  const issuer = 'https://login.microsoftonline.com/common/v2.0';
  const text = documentOf('https://login.microsoftonline.com/{tenantid}/v2.0');
  // the one provider whose description may name another issuer, by the rules of the library
  const fetch: GuardedFetch = async () => ({ status: 200, headers: json, url: issuer, body: Readable.from([Buffer.from(text)]) });
  const driver = new OidcDriver({ settings: oidcSettings(issuer), fetch, db: t.context.db, clock: new HandClock(), log: silentLogger() });
  await t.throwsAsync(driver.start(), AWAY);
});

test('a provider on an address that the service may not go to is not asked', async (t) => {
  const { origin, count } = await serve(t, (_request, response) => void response.end());
  const fetch = makeGuardedFetch({ allowedNetworks: [], denyPrivate: false }, { userAgent: 'Sheaf' });
  const driver = new OidcDriver({ settings: oidcSettings(origin), fetch, db: t.context.db, clock: new HandClock(), log: silentLogger() });
  await t.throwsAsync(driver.start(), AWAY);
  t.is(count(), 0);
});

const reportOf = (issuer: string, clock: Clock, db: TestDatabase['db'], settings: Partial<OidcSettings> = {}) => {
  const driver = makeDriver(db, issuer, clock, settings);
  return new OidcCheck(oidcSettings(issuer, settings), driver.provider, clock);
};

test('the check of a provider that works is healthy in each part', async (t) => {
  await using provider = await startOidcProvider([]);
  const { status, issuer, checks } = await reportOf(provider.issuer, new HandClock(), t.context.db, { scopes: 'openid email' }).report();
  t.is(status, 'healthy');
  t.is(issuer, provider.issuer);
  t.deepEqual(
    checks.map(({ name, status: each, code }) => [name, each, code]),
    [
      ['discovery', 'healthy', 'oidc_discovered'],
      ['keys', 'healthy', 'oidc_keys_usable'],
      ['client', 'healthy', 'oidc_client_supported'],
    ],
  );
});

test('the check tells what is wrong without telling where, and asks at most every 30 seconds', async (t) => {
  const clock = new HandClock();
  const { origin, count } = await serve(t, (request, response) => {
    if (request.url === '/keys') response.writeHead(200, json).end(JSON.stringify({ keys: [{ kty: 'oct', k: 'AA' }] }));
    else response.writeHead(200, json).end(documentOf(origin, { token_endpoint_auth_methods_supported: ['private_key_jwt'] }));
  });
  const check = reportOf(origin, clock, t.context.db);
  const [{ status, checks }] = await Promise.all([check.report(), check.report(), check.report()]);
  t.is(status, 'unhealthy');
  t.deepEqual(
    checks.map(({ name, status: each, code }) => [name, each, code]),
    [
      ['discovery', 'healthy', 'oidc_discovered'],
      ['keys', 'unhealthy', 'oidc_keys_missing'],
      ['client', 'unhealthy', 'oidc_auth_method_unsupported'],
    ],
  );
  t.is(count(), 2);
  clock.pass(29_000);
  await check.report();
  t.is(count(), 2);
  clock.pass(1_001);
  await check.report();
  t.is(count(), 4);
});

test('the check of a provider that is away names no address', async (t) => {
  const { checks, status } = await reportOf('http://127.0.0.1:1', new HandClock(), t.context.db).report();
  t.is(status, 'unhealthy');
  t.deepEqual(
    checks.map(({ code }) => code),
    ['oidc_discovery_failed'],
  );
  t.false(JSON.stringify(checks).includes('127.0.0.1'));
});
