// The api with its one sign-in service, an OpenID Connect provider and a SAML 2.0 identity provider, as a browser goes through them.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import anyTest, { type TestFn } from 'ava';
import { type KeyPair, makeKeyPair } from '../../support/certificate.ts';
import { CookieJar } from '../../support/cookie-jar.ts';
import { CLIENT_SECRET, REDIRECT_URI } from '../../support/given-oidc.ts';
import { ACS_URL, SERVICE } from '../../support/given-saml.ts';
import { type RunningProvider, startOidcProvider } from '../../support/oidc-provider.ts';
import { type RunningApi, startApi } from '../../support/running-api.ts';
import { encode, idpMetadata, responseXml, signAssertion } from '../../support/saml-provider.ts';

interface Context {
  readonly api: RunningApi;
  readonly provider: RunningProvider;
  readonly idp: KeyPair;
  readonly folder: string;
}

const test = anyTest as TestFn<Context>;
let context: Context;

test.before(async () => {
  const client = { client_id: 'sheaf', client_secret: CLIENT_SECRET, redirect_uris: [REDIRECT_URI], scope: 'openid profile email rights' };
  const provider = await startOidcProvider([client]);
  const idp = await makeKeyPair('idp');
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-idp-'));
  const metadata = join(folder, 'idp.xml');
  await writeFile(metadata, idpMetadata([idp]));
  const api = await startApi({
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
    AUTO_CREATE_USERS: 'true',
    OIDC_ENABLED: 'true',
    OIDC_ISSUER_URL: provider.issuer,
    OIDC_CLIENT_ID: 'sheaf',
    OIDC_CLIENT_SECRET: CLIENT_SECRET,
    OIDC_REDIRECT_URI: REDIRECT_URI,
    OIDC_SCOPES: client.scope,
    OIDC_GROUP_ROLE_MAPPING: '{"writers": "editor"}',
    SAML2_IDP_METADATA_URL: metadata,
    SAML2_SP_ENTITY_ID: SERVICE,
    SAML2_SP_ACS_URL: ACS_URL,
    SAML2_ADMIN_GROUP: 'masters',
  });
  context = { api, provider, idp, folder };
});
test.beforeEach((t) => {
  t.context = context;
});
test.after.always(async () => {
  await context.api.stop();
  await context.provider[Symbol.asyncDispose]();
  await rm(context.folder, { recursive: true, force: true });
});

/** A browser at the public address of the api, where a proxy would pass everything on. */
class Browser {
  readonly #jar = new CookieJar();
  readonly #origin: string;

  constructor({ api }: Context) {
    this.#origin = api.anyone.url;
  }

  async open(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { accept: 'text/html,*/*;q=0.8', cookie: this.#jar.header() };
    const answer = await fetch(`${this.#origin}${path}`, { ...init, headers, redirect: 'manual' });
    this.#jar.take(answer);
    return answer;
  }

  async whoAmI(): Promise<Record<string, unknown>> {
    return (await (await this.open('/api/auth/me')).json()) as Record<string, unknown>;
  }
}

const throughOidc = async (context_: Context, browser: Browser, sub: string): Promise<Response> => {
  const start = await browser.open('/api/auth/oidc/login?return_to=/documents');
  const back = await context_.provider.signIn(start.headers.get('location') ?? '', sub);
  return browser.open(`${back.pathname}${back.search}`);
};

const throughSaml = async ({ idp }: Context, browser: Browser, nameId: string, groups: readonly string[]): Promise<Response> => {
  const start = await browser.open('/api/auth/saml/login');
  const sent = new URL(start.headers.get('location') ?? '').searchParams.get('SAMLRequest') ?? '';
  const requestId = / ID="([^"]+)"/.exec(inflateRawSync(Buffer.from(sent, 'base64')).toString())?.[1] ?? '';
  const facts = { requestId, acsUrl: ACS_URL, audience: SERVICE, nameId, attributes: { uid: [nameId], groups } };
  const SAMLResponse = encode(signAssertion(responseXml(facts), idp));
  return browser.open('/api/auth/saml/acs', { method: 'POST', body: new URLSearchParams({ SAMLResponse }) });
};

test('OIDC: the first sign-in makes an account, the role follows the groups, and the session is one of ours', async (t) => {
  const { provider } = t.context;
  const claims = { email: 'olga@example.com', email_verified: true, preferred_username: 'olga' };
  provider.accounts.set('olga-1', { ...claims, groups: ['writers'] });
  const browser = new Browser(t.context);
  const answer = await throughOidc(t.context, browser, 'olga-1');
  t.deepEqual([answer.status, answer.headers.get('location')], [302, '/documents']);
  const me = await browser.whoAmI();
  t.deepEqual([me['username'], me['role']], ['olga', 'editor']);
  provider.accounts.set('olga-1', { ...claims, groups: [] });
  const later = new Browser(t.context);
  await throughOidc(t.context, later, 'olga-1');
  const then = await later.whoAmI();
  t.deepEqual([then['id'], then['role']], [me['id'], 'viewer'], 'the same user, without the group');
});

test('OIDC: the address of an administrator does not lead into their account', async (t) => {
  const { provider } = t.context;
  provider.accounts.set('thief', { email: 'admin@example.org', email_verified: true, preferred_username: 'thief' });
  const browser = new Browser(t.context);
  const answer = await throughOidc(t.context, browser, 'thief');
  t.is(answer.headers.get('location'), '/?sign_in_error=ACCOUNT_NOT_KNOWN');
  t.is((await browser.open('/api/auth/me')).status, 401);
});

test('SAML 2.0: the first sign-in makes an account, and a member of SAML2_ADMIN_GROUP is an administrator', async (t) => {
  const browser = new Browser(t.context);
  const answer = await throughSaml(t.context, browser, 'sam', ['masters']);
  t.deepEqual([answer.status, answer.headers.get('location')], [302, '/']);
  const me = await browser.whoAmI();
  t.deepEqual([me['username'], me['role']], ['sam', 'admin']);
});

test('GET /api/health/auth/oidc answers of the real provider', async (t) => {
  const { status, body } = await t.context.api.anyone.get('/api/health/auth/oidc');
  t.is(status, 200, JSON.stringify(body));
  t.is(body['issuer'], t.context.provider.issuer);
});
