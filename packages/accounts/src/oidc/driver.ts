import type { Db } from '@sheaf/db';
import type { GuardedFetch } from '@sheaf/outbound';
import type { Clock, Logger } from '@sheaf/process';
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  type IDToken,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import type { ExternalIdentity } from '../external-identity.ts';
import type { FederatedEnd, FederatedStart } from '../federated.ts';
import { PendingSignIns } from '../pending-sign-ins.ts';
import { toReturnPath } from '../return-path.ts';
import { signInExpired, signInInvalid, signInRefused } from '../sign-in-errors.ts';
import { type Claims, isComplete, readClaim, toIdentity } from './claims.ts';
import { toSignInError } from './failures.ts';
import { OidcProvider } from './provider.ts';
import type { OidcSettings } from './settings.ts';

export interface OidcDriverDeps {
  readonly settings: OidcSettings;
  readonly fetch: GuardedFetch;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
}

const GOOGLE = 'https://accounts.google.com';

/** Signs in through an OpenID Connect provider: authorization code with PKCE. Says who somebody is, not what he may do. */
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
