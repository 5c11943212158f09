import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { OidcDriver, type OidcSettings } from '@sheaf/accounts';
import { Secret } from '@sheaf/contract';
import { type GuardedFetch, makeGuardedFetch } from '@sheaf/outbound';
import { type Clock, silentLogger, systemClock } from '@sheaf/process';
import { openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import { decodeJwt, decodeProtectedHeader, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { type RunningProvider, startOidcProvider } from './oidc-provider.ts';

export const REDIRECT_URI = 'https://sheaf.example/api/auth/oidc/callback';
export const CLIENT_SECRET = 'a secret with / and + and %';

/** Changes the id token on its way from the provider to us; undefined leaves it. */
export type Forge = (claims: JWTPayload, header: JWTHeaderParameters) => string | Promise<string>;

export interface GivenOidc extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly provider: RunningProvider;
  readonly fetch: GuardedFetch;
  readonly driver: (settings?: Partial<OidcSettings>, options?: { forge?: Forge; clock?: Clock; fetch?: GuardedFetch }) => OidcDriver;
}

export const LOOPBACK_FETCH: GuardedFetch = makeGuardedFetch(
  { allowedNetworks: ['127.0.0.0/8'], denyPrivate: false },
  { userAgent: 'Sheaf' },
);

export const oidcSettings = (issuer: string, settings: Partial<OidcSettings> = {}): OidcSettings => ({
  issuer,
  clientId: 'sheaf',
  clientSecret: new Secret(CLIENT_SECRET),
  redirectUri: REDIRECT_URI,
  scopes: 'openid profile email rights',
  userClaim: undefined,
  groupsClaim: 'groups',
  audience: undefined,
  hostedDomain: undefined,
  tokenEndpointAuthMethod: undefined,
  endpoints: { authorization: undefined, token: undefined, userInfo: undefined },
  debug: false,
  ...settings,
});

/** The guarded fetch with another id token in the provider's answer. */
const forging =
  (fetch: GuardedFetch, forge: Forge): GuardedFetch =>
  async (url, request) => {
    const response = await fetch(url, request);
    if (!new URL(url).pathname.endsWith('/token') || response.status !== 200) return response;
    const body = (await json(response.body)) as { id_token: string };
    const header = decodeProtectedHeader(body.id_token) as JWTHeaderParameters;
    const text = JSON.stringify({ ...body, id_token: await forge(decodeJwt(body.id_token), header) });
    const { 'content-length': _length, ...headers } = response.headers;
    return { ...response, headers, body: Readable.from([Buffer.from(text)]) };
  };

/** The same claims with `changes`, signed as the provider signs. */
export const resign =
  (provider: RunningProvider, changes: Readonly<Record<string, unknown>>): Forge =>
  (claims, header) =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader(header).sign(provider.signingKey);

/** A provider, a database, and drivers that know both. */
export const givenOidc = async (): Promise<GivenOidc> => {
  const database = await openTestDatabase();
  const common = { redirect_uris: [REDIRECT_URI], client_secret: CLIENT_SECRET, scope: 'openid profile email rights' };
  const provider = await startOidcProvider([
    { ...common, client_id: 'sheaf' },
    { ...common, client_id: 'poster', token_endpoint_auth_method: 'client_secret_post' },
    { redirect_uris: [REDIRECT_URI], client_id: 'public', scope: common.scope, token_endpoint_auth_method: 'none' },
  ]);
  return {
    database,
    provider,
    fetch: LOOPBACK_FETCH,
    driver: (settings = {}, { forge, clock = systemClock, fetch = LOOPBACK_FETCH } = {}) =>
      new OidcDriver({
        settings: oidcSettings(provider.issuer, settings),
        fetch: forge === undefined ? fetch : forging(fetch, forge),
        db: database.db,
        clock,
        log: silentLogger(),
      }),
    [Symbol.asyncDispose]: async () => {
      await provider[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
};
