// What must not let anybody in, each tried against a real provider.
import { createHmac } from 'node:crypto';
import type { GuardedFetch } from '@sheaf/outbound';
import anyTest, { type TestFn } from 'ava';
import { exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { CLIENT_SECRET, type Forge, type GivenOidc, givenOidc, LOOPBACK_FETCH, resign } from '../../support/given-oidc.ts';

const test = anyTest as TestFn<GivenOidc>;
let given: GivenOidc;
test.before(async () => {
  given = await givenOidc();
  given.provider.accounts.set('ann', ANN);
});
test.beforeEach((t) => {
  t.context = given;
});
test.after.always(() => given[Symbol.asyncDispose]());

const ANN = { email: 'ann@example.com', email_verified: true, name: 'Ann Archer', preferred_username: 'ann', groups: ['staff'] };
const EXPIRED = { code: 'SIGN_IN_EXPIRED' };
const INVALID = { code: 'SIGN_IN_INVALID' };
const REFUSED = { code: 'SIGN_IN_REFUSED' };

type Settings = Parameters<GivenOidc['driver']>[0];

/** One sign-in of Ann up to the return to us. */
const comeBack = async ({ driver, provider }: GivenOidc, settings: Settings = {}, options: Parameters<GivenOidc['driver']>[1] = {}) => {
  const ours = driver(settings, options);
  const { url, cookie } = await ours.start();
  const back = await provider.signIn(url, 'ann');
  return { ours, query: back.searchParams, cookie: cookie.value };
};

const finishForged = async (context: GivenOidc, forge: Forge, settings: Settings = {}) => {
  const { ours, query, cookie } = await comeBack(context, settings, { forge });
  return ours.finish(query, cookie);
};

const withParameter = (query: URLSearchParams, name: string, value: string): URLSearchParams => {
  const changed = new URLSearchParams(query);
  changed.set(name, value);
  return changed;
};

test('a return without state, with an unknown one, or with two is refused', async (t) => {
  const { ours, query, cookie } = await comeBack(t.context);
  const without = new URLSearchParams(query);
  without.delete('state');
  await t.throwsAsync(ours.finish(without, cookie), EXPIRED);
  await t.throwsAsync(ours.finish(withParameter(query, 'state', 'made-up'), cookie), EXPIRED);
  const twice = new URLSearchParams(query);
  twice.append('state', 'made-up');
  await t.throwsAsync(ours.finish(twice, cookie), EXPIRED);
  t.is((await ours.finish(query, cookie)).identity.username, 'ann', 'and the right one still works');
});

test('a return in a browser that did not begin the sign-in is refused, and ends it', async (t) => {
  const [mine, theirs] = [await comeBack(t.context), await comeBack(t.context)];
  await t.throwsAsync(mine.ours.finish(mine.query, undefined), EXPIRED);
  await t.throwsAsync(mine.ours.finish(mine.query, mine.cookie), EXPIRED);
  await t.throwsAsync(theirs.ours.finish(theirs.query, mine.cookie), EXPIRED);
});

test('a return works once, however many come at the same time', async (t) => {
  const { ours, query, cookie } = await comeBack(t.context);
  const all = await Promise.allSettled(Array.from({ length: 5 }, () => ours.finish(query, cookie)));
  t.is(all.filter(({ status }) => status === 'fulfilled').length, 1);
  await t.throwsAsync(ours.finish(query, cookie), EXPIRED);
});

test('a return after more than ten minutes is refused', async (t) => {
  let now = new Date();
  const { ours, query, cookie } = await comeBack(t.context, {}, { clock: { now: () => now } });
  now = new Date(now.getTime() + 10 * 60_000 + 1);
  await t.throwsAsync(ours.finish(query, cookie), EXPIRED);
});

test("the code of one sign-in does not end another: the provider checks the code's verifier", async (t) => {
  const stolen = await comeBack(t.context);
  const own = await comeBack(t.context);
  await t.throwsAsync(own.ours.finish(withParameter(own.query, 'code', stolen.query.get('code') ?? ''), own.cookie), EXPIRED);
});

test('the verifier that is sent is the one of the challenge', async (t) => {
  const sent: string[] = [];
  const spoiling: GuardedFetch = (url, request) => {
    const body = typeof request?.body === 'string' ? request.body : '';
    sent.push(...(new URLSearchParams(body).get('code_verifier') ?? '').split(' '));
    const spoilt = body.replace(/code_verifier=[\w-]+/, `code_verifier=${'x'.repeat(43)}`);
    return LOOPBACK_FETCH(url, body === '' ? request : { ...request, body: spoilt });
  };
  const { ours, query, cookie } = await comeBack(t.context, {}, { fetch: spoiling });
  await t.throwsAsync(ours.finish(query, cookie), EXPIRED);
  t.true(sent.some((verifier) => verifier.length >= 43));
});

test('a used code is refused by the provider', async (t) => {
  const first = await comeBack(t.context);
  await first.ours.finish(first.query, first.cookie);
  const second = await comeBack(t.context);
  await t.throwsAsync(second.ours.finish(withParameter(second.query, 'code', first.query.get('code') ?? ''), second.cookie), EXPIRED);
});

const hour = 3_600;
const seconds = () => Math.floor(Date.now() / 1_000);

const FORGERIES: readonly (readonly [title: string, changes: () => Readonly<Record<string, unknown>>])[] = [
  ['of another nonce', () => ({ nonce: 'another' })],
  ['without nonce', () => ({ nonce: undefined })],
  ['of another issuer', () => ({ iss: 'https://evil.example' })],
  ['wrong audience', () => ({ aud: 'somebody-else' })],
  ['for several audiences without an authorised party', () => ({ aud: ['sheaf', 'somebody-else'] })],
  ['of another authorised party', () => ({ azp: 'somebody-else' })],
  ['that has expired', () => ({ exp: seconds() - hour })],
  ['that never expires', () => ({ exp: undefined })],
  ['that is not valid yet', () => ({ nbf: seconds() + hour })],
  ['without subject', () => ({ sub: undefined })],
  ['with a subject that cannot be one', () => ({ sub: 'an\u0000n' })],
];

for (const [title, changes] of FORGERIES) {
  test(`an id token ${title} is refused`, async (t) => {
    const error = await t.throwsAsync<Error & { code: string }>(finishForged(t.context, resign(t.context.provider, changes())));
    t.true(['SIGN_IN_INVALID', 'SIGN_IN_REFUSED'].includes(error?.code ?? ''), error?.message);
  });
}

test('an id token that was signed anew without a change lets in: the forgeries above fail by what they change', async (t) => {
  t.is((await finishForged(t.context, resign(t.context.provider, {}))).identity.username, 'ann');
});

test('a clock that differs by half a minute is tolerated', async (t) => {
  t.is((await finishForged(t.context, resign(t.context.provider, { exp: seconds() - 30 }))).identity.username, 'ann');
});

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test('an id token without a signature is refused', async (t) => {
  for (const alg of ['none', 'None', 'NONE']) {
    await t.throwsAsync(
      finishForged(t.context, (claims) => `${base64url({ alg })}.${base64url(claims)}.`),
      INVALID,
    );
  }
});

test('an id token signed with what is public, or with our own secret, is refused', async (t) => {
  const publicKey = await exportSPKI(t.context.provider.publicKey);
  for (const key of [publicKey, CLIENT_SECRET, '']) {
    const forge: Forge = (claims, header) => {
      const signed = `${base64url({ ...header, alg: 'HS256' })}.${base64url(claims)}`;
      return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
    };
    await t.throwsAsync(finishForged(t.context, forge), INVALID);
  }
});

test('an id token signed by another key is refused, whatever key it carries', async (t) => {
  const { privateKey } = await generateKeyPair('RS256');
  const jwk = { kty: 'RSA', n: 'AQAB', e: 'AQAB' };
  for (const extra of [{}, { jwk }, { jku: 'https://evil.example/keys' }]) {
    const forge: Forge = (claims, header) => new SignJWT(claims).setProtectedHeader({ ...header, ...extra }).sign(privateKey);
    await t.throwsAsync(finishForged(t.context, forge), INVALID);
  }
});

test('a changed id token under the old signature is refused', async (t) => {
  const { provider } = t.context;
  await t.throwsAsync(
    finishForged(t.context, async (claims, header) => {
      const [head, , signature] = (await resign(provider, {})(claims, header)).split('.');
      return `${head}.${base64url({ ...claims, sub: 'root' })}.${signature}`;
    }),
    INVALID,
  );
});

test('OIDC_AUDIENCE is asked for, and not demanded in the token, which is for us alone or for us as well', async (t) => {
  const settings = { audience: 'the-api' };
  t.is(new URL((await t.context.driver(settings).start()).url).searchParams.get('audience'), 'the-api');
  t.false(new URL((await t.context.driver().start()).url).searchParams.has('audience'));
  t.is((await finishForged(t.context, resign(t.context.provider, {}), settings)).identity.username, 'ann');
  const both = resign(t.context.provider, { aud: ['sheaf', 'the-api'], azp: 'sheaf' });
  t.is((await finishForged(t.context, both, settings)).identity.username, 'ann');
  await t.throwsAsync(finishForged(t.context, resign(t.context.provider, { aud: ['the-api'] }), settings), INVALID);
  await t.throwsAsync(
    finishForged(t.context, resign(t.context.provider, { aud: ['sheaf', 'the-api'], azp: 'another' }), settings),
    INVALID,
  );
});

test('only verified addresses of OIDC_HOSTED_DOMAIN come in', async (t) => {
  const { provider } = t.context;
  const settings = { hostedDomain: 'example.com' };
  t.is((await finishForged(t.context, resign(provider, {}), settings)).identity.username, 'ann');
  t.is((await finishForged(t.context, resign(provider, { hd: 'Example.com' }), settings)).identity.username, 'ann');
  for (const changes of [
    { hd: 'other.example' },
    { email: 'ann@other.example' },
    { email: 'ann@example.com.other.example' },
    { email: 'ann@sub.example.com' },
    { email_verified: false },
    { email: 'example.com' },
  ]) {
    await t.throwsAsync(finishForged(t.context, resign(provider, changes), settings), REFUSED, JSON.stringify(changes));
  }
});

test('a return that names another issuer is refused: the answer is from somewhere else', async (t) => {
  const { ours, query, cookie } = await comeBack(t.context);
  await t.throwsAsync(ours.finish(withParameter(query, 'iss', 'https://evil.example'), cookie), INVALID);
});

test('what the provider refuses is refused in our own words', async (t) => {
  const { url, cookie } = await t.context.driver().start();
  const query = new URLSearchParams({
    error: 'access_denied',
    error_description: '<script>alert(1)</script>',
    state: new URL(url).searchParams.get('state') ?? '',
    iss: t.context.provider.issuer,
  });
  const error = await t.throwsAsync(t.context.driver().finish(query, cookie.value), REFUSED);
  t.false(error?.message.includes('script'));
});

for (const wish of ['https://evil.example/', '//evil.example', '/\\evil.example', '/\t/evil.example', 'javascript:alert(1)', '', '/ä']) {
  test(`after the sign-in nobody is led to ${JSON.stringify(wish)}`, async (t) => {
    const driver = t.context.driver();
    const { url, cookie } = await driver.start(wish);
    const back = await t.context.provider.signIn(url, 'ann');
    t.is((await driver.finish(back.searchParams, cookie.value)).returnTo, '/');
  });
}
