import { AppError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { type GuardedFetch, OutboundError } from '@sheaf/outbound';
import type { Clock, Logger } from '@sheaf/process';
import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  type IDToken,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import {
  type ExternalIdentity,
  type FederatedEnd,
  type FederatedStart,
  PendingSignIns,
  providerAway,
  signInExpired,
  signInInvalid,
  signInRefused,
  toCleanText,
} from '../external-identity.ts';
import { toReturnPath } from '../return-path.ts';
import { OidcProvider, type OidcSettings } from './provider.ts';

export interface OidcDriverDeps {
  readonly settings: OidcSettings;
  readonly fetch: GuardedFetch;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
}

const GOOGLE = 'https://accounts.google.com';

/** Signs in through an OpenID Connect provider: authorization code with PKCE. Says who somebody is, not what they may do. */
export class OidcDriver {
  readonly #deps: OidcDriverDeps;
  readonly provider: OidcProvider;
  readonly #pending: PendingSignIns;

  constructor(deps: OidcDriverDeps) {
    this.#deps = deps;
    this.provider = new OidcProvider(deps);
    this.#pending = new PendingSignIns(deps, 'oidc_state');
  }

  /** Throws SERVICE_UNAVAILABLE while the provider cannot be asked. */
  async start(returnTo?: string): Promise<FederatedStart> {
    const { settings } = this.#deps;
    const configuration = await this.provider.configuration();
    const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: settings.redirectUri,
      scope: settings.scopes,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(settings.hostedDomain === undefined ? {} : { hd: settings.hostedDomain }),
      // of providers that issue tokens for an interface, such as Auth0; the id token is for us all the same
      ...(settings.audience === undefined ? {} : { audience: settings.audience }),
    });
    const cookie = await this.#pending.begin(state, { nonce, verifier, returnTo: toReturnPath(returnTo) });
    this.#debug({}, 'OIDC sign-in started');
    return { url: url.href, cookie };
  }

  /**
   * Who came back with `query`, the parameters of the return address. Throws UNAUTHORIZED with SIGN_IN_EXPIRED or SIGN_IN_INVALID,
   * FORBIDDEN with SIGN_IN_REFUSED, and SERVICE_UNAVAILABLE.
   */
  async finish(query: URLSearchParams, browserToken: string | undefined): Promise<FederatedEnd> {
    const { log } = this.#deps;
    const [state, ...more] = query.getAll('state');
    if (state === undefined || more.length > 0) throw signInExpired();
    const facts = await this.#pending.end(state, browserToken);
    const { nonce, verifier, returnTo = '/' } = facts ?? {};
    if (nonce === undefined || verifier === undefined) throw signInExpired();
    try {
      const configuration = await this.provider.configuration();
      const sources = await this.#readClaims(configuration, query, { state, nonce, verifier });
      return { identity: this.#identify(configuration, sources), returnTo };
    } catch (error) {
      throw toSignInError(error, log);
    }
  }

  /** The claims of the id token, then those of the user info endpoint where the token leaves something out. */
  async #readClaims(
    configuration: Configuration,
    query: URLSearchParams,
    { state, nonce, verifier }: { readonly state: string; readonly nonce: string; readonly verifier: string },
  ): Promise<readonly [IDToken, ...Claims[]]> {
    const { settings } = this.#deps;
    // not the address as it came in: behind a proxy it is another one than the provider knows
    const returned = new URL(settings.redirectUri);
    returned.search = query.toString();
    const tokens = await authorizationCodeGrant(configuration, returned, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw signInInvalid();
    this.#debug({ claims: Object.keys(claims) }, 'OIDC ID token validated');
    this.#checkParty(claims);
    if (isComplete(claims, settings) || configuration.serverMetadata().userinfo_endpoint === undefined) return [claims];
    const info = await fetchUserInfo(configuration, tokens.access_token, claims.sub);
    this.#debug({ claims: Object.keys(info) }, 'OIDC userinfo loaded');
    return [claims, info];
  }

  /** Beyond what the library checks: that a token which names its party names us. */
  #checkParty({ azp }: IDToken): void {
    const { settings, log } = this.#deps;
    if (azp === undefined || azp === settings.clientId) return;
    log.warn({ reason: 'azp' }, 'OIDC ID token rejected: issued to another client');
    throw signInInvalid();
  }

  #identify(configuration: Configuration, sources: readonly [IDToken, ...Claims[]]): ExternalIdentity {
    const { settings, log } = this.#deps;
    const [token] = sources;
    const identity = toIdentity({ issuer: configuration.serverMetadata().issuer, subject: token.sub }, sources, settings);
    if (identity === undefined) {
      log.warn({ claim: settings.userClaim ?? 'sub' }, 'OIDC sign-in failed: user name claim missing');
      throw signInRefused('The identity provider did not send your user name. Contact your administrator.');
    }
    this.#checkDomain(identity, token);
    if (identity.groups.length === 0 && readClaim(token, `_claim_names.${settings.groupsClaim}`) !== undefined)
      log.warn('OIDC group claim omitted by the provider (overage); limit the claim to the groups of this application');
    return identity;
  }

  /**
   * Choice: `hd` is a claim of Google, where an address of the domain alone does not make a member of its organisation. Of other
   * providers the verified address decides, and an `hd` that is there must not speak against it.
   */
  #checkDomain({ email, emailVerified }: ExternalIdentity, { iss, hd }: IDToken): void {
    const { settings, log } = this.#deps;
    const { hostedDomain } = settings;
    if (hostedDomain === undefined) return;
    const isOfDomain = emailVerified && email?.slice(email.lastIndexOf('@') + 1).toLowerCase() === hostedDomain;
    const isMember = hd === undefined ? iss !== GOOGLE : typeof hd === 'string' && hd.toLowerCase() === hostedDomain;
    if (isOfDomain && isMember) return;
    log.info({ reason: isOfDomain ? 'hd' : 'email' }, 'OIDC sign-in rejected: user outside OIDC_HOSTED_DOMAIN');
    throw signInRefused('Only accounts of this organization can sign in.');
  }

  #debug(fields: Record<string, unknown>, step: string): void {
    if (this.#deps.settings.debug) this.#deps.log.info(fields, step);
  }
}

/** Codes of the library for answers that cannot be read: the provider is broken rather than the sign-in. */
const AWAY: ReadonlySet<string> = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON']);

/** Errors the provider names when it is itself in trouble. */
const TROUBLE: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable']);

const chainOf = (error: unknown): readonly Error[] => {
  const chain: Error[] = [];
  for (let cause = error; cause instanceof Error && chain.length < 6; cause = cause.cause) chain.push(cause);
  return chain;
};

/** What the library says of an error, of which nothing may be a token or a value of a claim. */
const factsOf = (error: unknown): Record<string, unknown> => {
  const [outer] = chainOf(error);
  const code = outer !== undefined && 'code' in outer ? outer.code : undefined;
  const details = chainOf(error).at(-1)?.cause;
  const claim = typeof details === 'object' && details !== null && 'claim' in details ? details.claim : undefined;
  return { reason: code ?? outer?.name, ...(claim === undefined ? {} : { claim }) };
};

/** What an error on the way through the provider means to who is signing in. The reason goes to the log. */
const toSignInError = (error: unknown, log: Logger): AppError => {
  if (error instanceof AppError) return error;
  const outbound = chainOf(error).find((cause) => cause instanceof OutboundError);
  if (outbound !== undefined) {
    log.warn({ reason: outbound.code, err: outbound }, 'OIDC provider unreachable');
    return providerAway();
  }
  if (error instanceof AuthorizationResponseError) {
    const named = error.error.slice(0, 100);
    log.info({ reason: named }, 'OIDC provider denied the sign-in');
    return TROUBLE.has(named) ? providerAway() : signInRefused();
  }
  if (error instanceof ResponseBodyError) {
    const named = error.error.slice(0, 100);
    log.warn({ reason: named, status: error.status }, 'OIDC token request failed');
    return named === 'invalid_grant' ? signInExpired() : providerAway();
  }
  log.warn(factsOf(error), 'OIDC response validation failed');
  const code = chainOf(error)[0];
  const isAway = error instanceof WWWAuthenticateChallengeError || (code !== undefined && 'code' in code && AWAY.has(String(code.code)));
  return isAway ? providerAway() : signInInvalid();
};

type Claims = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Claims => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The claim `path` names: by its whole name first, as URLs contain dots, then as a path into objects. Names on the way may contain
 * dots too, so the longest one goes first.
 */
export const readClaim = (claims: unknown, path: string): unknown => {
  if (!isObject(claims)) return undefined;
  if (Object.hasOwn(claims, path)) return claims[path];
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const head = path.slice(0, dot);
    const found = Object.hasOwn(claims, head) ? readClaim(claims[head], path.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Groups as a list, or as a text that separates them by spaces or commas. */
export const toGroups = (value: unknown): readonly string[] => {
  const names = typeof value === 'string' ? value.split(/[\s,]+/) : Array.isArray(value) ? value : [];
  return [...new Set(names.map(toCleanText).filter((name) => name !== undefined))];
};

const isTrue = (value: unknown): boolean => value === true || value === 'true'; // some providers write it as text

interface ClaimNames {
  readonly userClaim: string | undefined;
  readonly groupsClaim: string;
}

/** Whether the id token alone says what is needed of its user. */
const isComplete = (claims: Claims, { userClaim, groupsClaim }: ClaimNames): boolean =>
  ['email', userClaim ?? 'preferred_username', groupsClaim].every((name) => readClaim(claims, name) !== undefined);

/** An address is verified where the same source says so of the same address. */
const readEmail = (sources: readonly Claims[]): { email: string | undefined; emailVerified: boolean } => {
  const email = sources.map((source) => toCleanText(source['email'])).find((text) => text?.includes('@') === true);
  const emailVerified = sources.some((source) => toCleanText(source['email']) === email && isTrue(source['email_verified']));
  return { email, emailVerified: email !== undefined && emailVerified };
};

/** The user as `sources` describe them, the first one that knows a claim rules. Undefined where a claim that must be there is not. */
export const toIdentity = (
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
  sources: readonly Claims[],
  { userClaim, groupsClaim }: ClaimNames,
): ExternalIdentity | undefined => {
  const read = (name: string): unknown => sources.map((source) => readClaim(source, name)).find((value) => value !== undefined);
  const { email, emailVerified } = readEmail(sources);
  const username = userClaim === undefined ? (toCleanText(read('preferred_username')) ?? email) : toCleanText(read(userClaim));
  if (toCleanText(subject) === undefined || (userClaim !== undefined && username === undefined)) return undefined;
  return {
    method: 'oidc',
    externalId: `${issuer}|${subject}`,
    username,
    email,
    emailVerified,
    displayName: toCleanText(read('name')),
    groups: toGroups(read(groupsClaim)),
  };
};
