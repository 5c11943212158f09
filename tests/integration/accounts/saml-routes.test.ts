// A browser goes through the routes of SAML 2.0.

import { inflateRawSync } from 'node:zlib';
import { makeSamlRoutes } from '@sheaf/api/testing';
import anyTest, { type TestFn } from 'ava';
import { conditionOf } from '../../support/error-condition.ts';
import { type ServedRoutes, serveRoutes, TestSignInService } from '../../support/federated-routes.ts';
import { ACS_URL, type GivenSaml, givenSaml, SERVICE } from '../../support/given-saml.ts';
import { encode, type ResponseFacts, responseXml, signAssertion } from '../../support/saml-provider.ts';

interface Context {
  readonly given: GivenSaml;
  readonly signInService: TestSignInService;
  readonly origin: string;
}

const test = anyTest as TestFn<Context>;
const signInService = new TestSignInService();
let given: GivenSaml;
let routes: ServedRoutes;

test.before(async () => {
  given = await givenSaml();
  routes = await serveRoutes(makeSamlRoutes({ saml: { driver: given.driver(), acsUrl: ACS_URL }, signInService }));
});
test.beforeEach((t) => {
  t.context = { given, signInService, origin: routes.origin };
});
test.after.always(async () => {
  await routes[Symbol.asyncDispose]();
  await given[Symbol.asyncDispose]();
});

const BROWSER = { accept: 'text/html,*/*;q=0.8' };

const start = async (origin: string, username: string, query = '', acsUrl = ACS_URL) => {
  const answer = await fetch(`${origin}/api/auth/saml/login${query}`, { redirect: 'manual' });
  const setCookie = answer.headers.getSetCookie()[0] ?? '';
  const sent = new URL(answer.headers.get('location') ?? '').searchParams.get('SAMLRequest') ?? '';
  const requestId = / ID="([^"]+)"/.exec(inflateRawSync(Buffer.from(sent, 'base64')).toString())?.[1] ?? '';
  const facts: ResponseFacts = { requestId, acsUrl, audience: SERVICE, attributes: { uid: [username] } };
  return { answer, setCookie, cookie: setCookie.split(';')[0] ?? '', response: encode(signAssertion(responseXml(facts), given.idp)) };
};

const post = (origin: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${origin}/api/auth/saml/acs`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: { ...BROWSER, ...headers },
    redirect: 'manual',
  });

test('a browser is sent to the provider with a cookie that comes along with the form of another site', async (t) => {
  const { answer, setCookie } = await start(t.context.origin, 'ann');
  t.is(answer.status, 302);
  t.is(new URL(answer.headers.get('location') ?? '').host, 'idp.example');
  t.regex(setCookie, /^sheaf_saml=[\w-]{43}; Max-Age=600; Path=\/api\/auth\/saml\/acs; Expires=[^;]+; HttpOnly; Secure; SameSite=None$/);
});

test('the form of the provider signs in and leads to where it was begun, whatever RelayState says', async (t) => {
  const { origin } = t.context;
  const { cookie, response } = await start(origin, 'ann', '?return_to=/search');
  const answer = await post(origin, { SAMLResponse: response, RelayState: 'https://evil.example/' }, { cookie });
  t.deepEqual([answer.status, answer.headers.get('location')], [302, '/search']);
  t.true(answer.headers.getSetCookie().some((line) => line.startsWith('session=the-session')));
  const again = await post(origin, { SAMLResponse: response }, { cookie });
  t.is(again.headers.get('location'), '/?sign_in_error=SIGN_IN_EXPIRED');
});

test('a form in a browser that did not begin the sign-in is refused', async (t) => {
  const { response } = await start(t.context.origin, 'ann');
  const answer = await post(t.context.origin, { SAMLResponse: response });
  t.is(answer.headers.get('location'), '/?sign_in_error=SIGN_IN_EXPIRED');
});

test('who accepts only JSON gets the answer of a sign-in', async (t) => {
  const { cookie, response } = await start(t.context.origin, 'bob');
  const answer = await post(t.context.origin, { SAMLResponse: response }, { cookie, accept: 'application/json' });
  t.is(answer.status, 200);
  t.is(((await answer.json()) as { user: { username: string } }).user.username, 'bob');
});

test('over plain http, where browsers send no such cookie, the answer alone is enough', async (t) => {
  const acsUrl = 'http://sheaf.example/api/auth/saml/acs';
  await using plain = await serveRoutes(makeSamlRoutes({ saml: { driver: given.driver({ acsUrl }), acsUrl }, signInService }));
  const { setCookie, response } = await start(plain.origin, 'ann', '', acsUrl);
  t.regex(setCookie, /HttpOnly; SameSite=Lax$/);
  const answer = await post(plain.origin, { SAMLResponse: response });
  t.is(answer.headers.get('location'), '/');
  const second = await start(plain.origin, 'ann', '', acsUrl);
  const wrong = await post(plain.origin, { SAMLResponse: second.response }, { cookie: 'sheaf_saml=another' });
  t.is(wrong.headers.get('location'), '/?sign_in_error=SIGN_IN_EXPIRED', 'a cookie that is there has to be the right one');
});

test('a form that is too large, is no form or has no answer is refused', async (t) => {
  const { origin } = t.context;
  const large = await post(origin, { SAMLResponse: 'x'.repeat(260 * 1024) });
  t.is(large.status, 400);
  const json = await post(origin, { SAMLResponse: 'x' }, { 'content-type': 'application/json' });
  t.is(json.status, 400);
  t.is((await post(origin, { RelayState: '/' })).status, 400);
  t.is((await post(origin, { SAMLResponse: '<script>' })).headers.get('location'), '/?sign_in_error=SIGN_IN_INVALID');
});

test('GET /api/auth/saml/metadata is the metadata of this service', async (t) => {
  const answer = await fetch(`${t.context.origin}/api/auth/saml/metadata`);
  t.is(answer.headers.get('content-type')?.split(';')[0], 'application/samlmetadata+xml');
  const text = await answer.text();
  t.true(text.includes(SERVICE) && text.includes(ACS_URL));
});

test('while SAML 2.0 is off its routes answer FEATURE_DISABLED', async (t) => {
  await using off = await serveRoutes(makeSamlRoutes({ saml: undefined, signInService }));
  for (const [method, path] of [
    ['GET', '/api/auth/saml/login'],
    ['POST', '/api/auth/saml/acs'],
    ['GET', '/api/auth/saml/metadata'],
  ] as const) {
    const answer = await fetch(off.origin + path, { method });
    t.is(answer.status, 404, path);
    t.is(conditionOf(await answer.json()), 'FEATURE_DISABLED');
  }
});
