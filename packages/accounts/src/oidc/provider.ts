import { buffer } from 'node:stream/consumers';
import { Secret } from '@sheaf/contract';
import { type GuardedFetch, OutboundError } from '@sheaf/outbound';
import type { Clock, Logger } from '@sheaf/process';
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretJwt,
  ClientSecretPost,
  Configuration,
  type CustomFetch,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type FetchBody,
  None,
  type ServerMetadata,
} from 'openid-client';
import { CachedValue } from '../cached-value.ts';
import { providerAway } from '../external-identity.ts';

/** How far the clocks of this machine and of the provider may be apart. */
export const CLOCK_TOLERANCE_SECONDS = 60;
const FRESH_MS = 60 * 60_000;

/** Signatures that only the provider can make. HS* are made with our own secret, `none` by anybody. */
export const SIGNING_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

export interface OidcProviderDeps {
  readonly settings: OidcSettings;
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Why the provider could not be asked, in a word that may be shown to anybody: hosts and addresses may not. */
export const reasonOf = (error: unknown): string => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutboundError) return cause.code;
    if ('code' in cause && typeof cause.code === 'string' && !(cause.cause instanceof Error)) return cause.code;
  }
  return error instanceof Error ? error.name : 'unknown';
};

/** The provider as it describes itself, with what the settings say instead. */
const toMetadata = (discovered: ServerMetadata, { endpoints }: OidcSettings): ServerMetadata => {
  // without a list the standard says RS256
  const offered = discovered.id_token_signing_alg_values_supported ?? ['RS256'];
  return {
    ...discovered,
    id_token_signing_alg_values_supported: offered.filter((algorithm) => SIGNING_ALGORITHMS.includes(algorithm)),
    ...(endpoints.authorization === undefined ? {} : { authorization_endpoint: endpoints.authorization }),
    ...(endpoints.token === undefined ? {} : { token_endpoint: endpoints.token }),
    ...(endpoints.userInfo === undefined ? {} : { userinfo_endpoint: endpoints.userInfo }),
  };
};

/** Which way of proving itself this service takes: the configured one, else what the provider knows. */
export const authMethodOf = (metadata: ServerMetadata, settings: OidcSettings): NonNullable<OidcSettings['tokenEndpointAuthMethod']> => {
  if (settings.tokenEndpointAuthMethod !== undefined) return settings.tokenEndpointAuthMethod;
  const known = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return known.includes('client_secret_basic') || !known.includes('client_secret_post') ? 'client_secret_basic' : 'client_secret_post';
};

const toClientAuth = (metadata: ServerMetadata, settings: OidcSettings): ClientAuth => {
  const { clientSecret = new Secret('') } = settings;
  switch (authMethodOf(metadata, settings)) {
    case 'client_secret_basic':
      return ClientSecretBasic(clientSecret.reveal());
    case 'client_secret_post':
      return ClientSecretPost(clientSecret.reveal());
    case 'client_secret_jwt':
      return ClientSecretJwt(clientSecret.reveal());
    case 'none':
      return None();
  }
};

/** What is known of the provider: asked for when it is first needed, again every hour, and after failures in growing distance. */
export class OidcProvider {
  readonly #deps: OidcProviderDeps;
  readonly fetch: CustomFetch;
  readonly #configuration: CachedValue<Configuration>;

  constructor(deps: OidcProviderDeps) {
    this.#deps = deps;
    this.fetch = makeOidcFetch(deps.fetch);
    this.#configuration = new CachedValue({
      load: () => this.#load(),
      translate: (cause, attempt) => {
        deps.log.warn({ issuer: deps.settings.issuer, reason: reasonOf(cause), attempt }, 'OIDC discovery failed');
        return providerAway(cause);
      },
      freshMs: FRESH_MS,
      clock: deps.clock,
    });
  }

  /** Throws SERVICE_UNAVAILABLE while the provider cannot be asked and nothing is known of it. */
  configuration(): Promise<Configuration> {
    return this.#configuration.get();
  }

  /** Asks the provider now, whatever is known of it. Throws SERVICE_UNAVAILABLE. */
  ask(): Promise<Configuration> {
    return this.#configuration.load();
  }

  async #load(): Promise<Configuration> {
    const { settings, log } = this.#deps;
    const issuer = new URL(settings.issuer);
    // plain http is for closed networks, where the administrator wrote it into the issuer; an https issuer never leads to it
    const execute = issuer.protocol === 'http:' ? [allowInsecureRequests] : [];
    const discovered = await discovery(issuer, settings.clientId, {}, None(), { [customFetch]: this.fetch, execute });
    const { issuer: named } = discovered.serverMetadata();
    // The library lets some issuers name themselves otherwise, for services that serve many organisations: then anybody's would do.
    if (new URL(named).href !== issuer.href) throw new Error('the discovered issuer does not match OIDC_ISSUER_URL');
    const metadata = toMetadata(discovered.serverMetadata(), settings);
    if (metadata.id_token_signing_alg_values_supported?.length === 0)
      throw new Error('the provider supports no asymmetric signature algorithm');
    const client = { [clockTolerance]: CLOCK_TOLERANCE_SECONDS };
    const configuration = new Configuration(metadata, settings.clientId, client, toClientAuth(metadata, settings));
    configuration[customFetch] = this.fetch;
    for (const apply of execute) apply(configuration);
    // the library trusts the connection otherwise and leaves the signature of the id token unread
    enableNonRepudiationChecks(configuration);
    if (settings.debug) log.info({ issuer: settings.issuer }, 'OIDC discovery succeeded');
    return configuration;
  }
}

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret | undefined;
  readonly redirectUri: string;
  readonly scopes: string;
  readonly userClaim: string | undefined;
  readonly groupsClaim: string;
  readonly audience: string | undefined;
  /** In lower case. */
  readonly hostedDomain: string | undefined;
  /** Undefined: what the provider takes. */
  readonly tokenEndpointAuthMethod: 'client_secret_basic' | 'client_secret_post' | 'client_secret_jwt' | 'none' | undefined;
  /** Undefined: the discovered ones. */
  readonly endpoints: {
    readonly authorization: string | undefined;
    readonly token: string | undefined;
    readonly userInfo: string | undefined;
  };
  readonly debug: boolean;
}

const TIMEOUT_MS = 10_000;
/** The largest answers are key sets; real ones have some kilobytes. */
const MAX_BYTES = 1024 * 1024;
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

const toText = (body: FetchBody): string | undefined => {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString();
  throw new Error('Request to the identity provider has a body that is not a form');
};

/** The guarded client as openid-client wants it. Follows no redirect: each address is the one that was discovered or configured. */
const makeOidcFetch =
  (fetch: GuardedFetch): CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    const text = toText(body);
    const response = await fetch(url, {
      method,
      headers,
      ...(text === undefined ? {} : { body: text }),
      ...(signal === undefined ? {} : { signal }),
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_BYTES,
      maxRedirects: 0,
    });
    const bytes = await buffer(response.body);
    return new Response(WITHOUT_BODY.has(response.status) ? null : new Uint8Array(bytes), {
      status: response.status,
      headers: { ...response.headers },
    });
  };
