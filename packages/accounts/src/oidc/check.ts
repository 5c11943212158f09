import { makeProblem, type ServiceProblem } from '@sheaf/contract/operations';
import type { Clock } from '@sheaf/process';
import { type HealthStatus, worst } from '@sheaf/vocabulary/health';
import type { Configuration, ServerMetadata } from 'openid-client';
import { z } from 'zod';
import { authMethodOf, type OidcProvider, type OidcSettings, reasonOf, SIGNING_ALGORITHMS } from './provider.ts';

export interface OidcFinding extends ServiceProblem {
  readonly name: 'discovery' | 'keys' | 'client';
  readonly status: HealthStatus;
}

export interface OidcReport {
  readonly status: HealthStatus;
  readonly issuer: string;
  readonly checks: readonly OidcFinding[];
}

/** Anybody may ask, so the provider is asked at most this often. */
const FRESH_MS = 30_000;

const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string(), use: z.string().optional(), alg: z.string().optional() })) });

const healthy = (name: OidcFinding['name'], finding: ServiceProblem): OidcFinding => ({ name, status: 'healthy', ...finding });
const unhealthy = (name: OidcFinding['name'], finding: ServiceProblem): OidcFinding => ({ name, status: 'unhealthy', ...finding });

const keysUnavailable = (error: string): OidcFinding => unhealthy('keys', makeProblem('oidc_keys_unavailable', { error }));

/** What is said is for strangers as well: no host, no address, no setting but the issuer. */
export class OidcCheck {
  readonly #settings: OidcSettings;
  readonly #provider: OidcProvider;
  readonly #clock: Clock;
  #last: { readonly report: Promise<OidcReport>; readonly until: number } | undefined;

  constructor(settings: OidcSettings, provider: OidcProvider, clock: Clock) {
    this.#settings = settings;
    this.#provider = provider;
    this.#clock = clock;
  }

  /** Whether sign-ins can work: the provider answers, its keys can be read, and it knows what this service wants of it. */
  report(): Promise<OidcReport> {
    const now = this.#clock.now().getTime();
    if (this.#last === undefined || now >= this.#last.until) this.#last = { report: this.#look(), until: now + FRESH_MS };
    return this.#last.report;
  }

  async #look(): Promise<OidcReport> {
    const { issuer } = this.#settings;
    const checks = await this.#findings();
    return { status: worst(checks.map(({ status }) => status)), issuer, checks };
  }

  async #findings(): Promise<readonly OidcFinding[]> {
    let configuration: Configuration;
    try {
      configuration = await this.#provider.ask();
    } catch (error) {
      return [unhealthy('discovery', makeProblem('oidc_discovery_failed', { error: reasonOf(error) }))];
    }
    const metadata = configuration.serverMetadata();
    return [healthy('discovery', makeProblem('oidc_discovered')), await this.#readKeys(metadata), this.#readClient(metadata)];
  }

  async #readKeys({ jwks_uri: url }: ServerMetadata): Promise<OidcFinding> {
    if (url === undefined) return unhealthy('keys', makeProblem('oidc_keys_not_named'));
    const isDowngrade = this.#settings.issuer.startsWith('https:') && !url.startsWith('https:');
    if (isDowngrade) return keysUnavailable('not https');
    try {
      const response = await this.#provider.fetch(url, {
        method: 'GET',
        headers: { accept: 'application/json' },
        body: undefined,
        redirect: 'manual',
      });
      if (response.status !== 200) return keysUnavailable(`status ${response.status}`);
      const { keys } = keySet.parse(await response.json());
      const fit = keys.filter(({ kty, use, alg }) => {
        const mayHave = alg === undefined || SIGNING_ALGORITHMS.includes(alg);
        return ['RSA', 'EC', 'OKP'].includes(kty) && use !== 'enc' && mayHave;
      });
      return fit.length > 0 ? healthy('keys', makeProblem('oidc_keys_usable')) : unhealthy('keys', makeProblem('oidc_keys_missing'));
    } catch (error) {
      return keysUnavailable(reasonOf(error));
    }
  }

  /** Whether the secret is right shows at the first sign-in only: a provider takes wrong attempts for an attack. */
  #readClient(metadata: ServerMetadata): OidcFinding {
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const scopes = metadata.scopes_supported ?? [];
    const unknown = this.#settings.scopes.split(/\s+/).filter((scope) => scope !== '' && scopes.length > 0 && !scopes.includes(scope));
    if (!methods.includes(authMethodOf(metadata, this.#settings))) return unhealthy('client', makeProblem('oidc_auth_method_unsupported'));
    if (metadata.authorization_endpoint === undefined || metadata.token_endpoint === undefined)
      return unhealthy('client', makeProblem('oidc_endpoints_missing'));
    if (unknown.length > 0) return { name: 'client', status: 'warning', ...makeProblem('oidc_scopes_unsupported') };
    return healthy('client', makeProblem('oidc_client_supported'));
  }
}
