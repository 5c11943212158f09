import { randomBytes } from 'node:crypto';
import type { SAML } from '@node-saml/node-saml';
import { AppError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { GuardedFetch } from '@sheaf/outbound';
import type { Clock, Logger } from '@sheaf/process';
import { errorText } from '@sheaf/process/errors';
import type { FederatedEnd, FederatedStart } from '../federated.ts';
import { hashToken } from '../one-time-tokens.ts';
import { PendingSignIns } from '../pending-sign-ins.ts';
import { rememberOnce } from '../queries/one-time-tokens.ts';
import { toReturnPath } from '../return-path.ts';
import { signInExpired, signInInvalid, signInRefused } from '../sign-in-errors.ts';
import { type AssertionFacts, readAssertion } from './assertion.ts';
import { toIdentity } from './identity.ts';
import type { IdentityProvider } from './metadata.ts';
import { type OwnKey, readOwnKey } from './own-key.ts';
import { SamlProvider } from './provider.ts';
import { checkEnvelope, readEnvelope } from './response.ts';
import { CLOCK_SKEW_MS, type SamlSettings } from './settings.ts';
import { parseXml } from './xml.ts';

export interface SamlDriverDeps {
  readonly settings: SamlSettings;
  readonly fetch: GuardedFetch;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
}

const SEEN = 'saml_assertion';

/** Signs in through a SAML 2.0 identity provider: request by redirect, answer by POST. Says who somebody is, not what he may do. */
export class SamlDriver {
  readonly #deps: SamlDriverDeps;
  readonly #key: OwnKey | undefined;
  readonly #provider: SamlProvider;
  readonly #pending: PendingSignIns;
  /** The answer comes as a POST from another site, to which browsers add cookies over https only. */
  readonly #isBound: boolean;

  /** Throws FatalError when the key or the certificate of this service cannot be used. */
  constructor(deps: SamlDriverDeps) {
    this.#deps = deps;
    this.#key = readOwnKey(deps.settings);
    this.#provider = new SamlProvider(deps);
    this.#pending = new PendingSignIns(deps, 'saml_request');
    this.#isBound = deps.settings.acsUrl.startsWith('https:');
    if (!this.#isBound) deps.log.warn('SAML2_SP_ACS_URL is not https; SAML sign-ins are not bound to the browser');
  }

  /** Throws SERVICE_UNAVAILABLE while nothing is known of the identity provider. */
  async start(returnTo?: string): Promise<FederatedStart> {
    const provider = await this.#provider.get();
    const requestId = `_${randomBytes(20).toString('hex')}`;
    const url = await (await this.#saml(provider, requestId)).getAuthorizeUrlAsync('', undefined, {});
    const cookie = await this.#pending.begin(requestId, { returnTo: toReturnPath(returnTo) });
    return { url, cookie };
  }

  /**
   * Who `response` (the form field SAMLResponse) is about. Throws UNAUTHORIZED with SIGN_IN_EXPIRED or SIGN_IN_INVALID, FORBIDDEN
   * with SIGN_IN_REFUSED, and SERVICE_UNAVAILABLE. What RelayState says is not asked: where to go on is remembered here.
   */
  async finish(response: string, browserToken: string | undefined): Promise<FederatedEnd> {
    const { settings, log } = this.#deps;
    const { facts, issuer } = await this.#readResponse(response);
    const isBound = this.#isBound || browserToken !== undefined;
    const pending = await this.#pending.end(facts.requestId, browserToken, { isBound });
    if (pending === undefined || !(await this.#isFirst(facts, issuer))) throw signInExpired();
    const identity = toIdentity(facts, issuer, settings.attributes);
    if (identity === undefined) {
      log.warn('SAML assertion rejected: transient NameID or user name attribute missing');
      throw signInRefused('The identity provider did not send your user name. Contact your administrator.');
    }
    return { identity, returnTo: pending['returnTo'] ?? '/' };
  }

  /** What the identity provider wants to know of this service, as XML. */
  async metadata(): Promise<string> {
    const { generateServiceProviderMetadata } = await import('@node-saml/node-saml');
    const { entityId, acsUrl } = this.#deps.settings;
    return generateServiceProviderMetadata({
      issuer: entityId,
      callbackUrl: acsUrl,
      identifierFormat: null,
      wantAssertionsSigned: true,
      ...(this.#key === undefined
        ? {}
        : {
            privateKey: this.#key.privateKey,
            publicCerts: this.#key.certificate,
            decryptionPvk: this.#key.privateKey,
            decryptionCert: this.#key.certificate,
          }),
    });
  }

  async #readResponse(response: string): Promise<{ facts: AssertionFacts; issuer: string }> {
    const { settings, clock, log } = this.#deps;
    const provider = await this.#provider.get();
    try {
      const { signer, xml } = await this.#verify(response, provider);
      const expected = { issuer: signer.entityId, audience: settings.entityId, recipient: settings.acsUrl, now: clock.now() };
      const result = readAssertion(await parseXml(xml), expected);
      if (result.ok) return { facts: result.facts, issuer: signer.entityId };
      log.warn({ reason: result.reason }, 'SAML assertion validation failed');
    } catch (error) {
      if (error instanceof AppError) throw error;
      // whatever a parser or a cipher makes of hostile input, it is the input that is wrong
      log.warn({ reason: errorText(error) }, 'SAML response validation failed');
    }
    throw signInInvalid();
  }

  /** The assertion as it was signed. A signature that does not fit is tried once more with the certificates of now. */
  async #verify(response: string, provider: IdentityProvider): Promise<{ signer: IdentityProvider; xml: string }> {
    const envelope = await readEnvelope(response);
    checkEnvelope(envelope, this.#deps.settings.acsUrl);
    try {
      return { signer: provider, xml: await this.#signedXml(response, provider) };
    } catch (error) {
      const changed = await this.#provider.changed(provider);
      if (changed === undefined) throw error;
      return { signer: changed, xml: await this.#signedXml(response, changed) };
    }
  }

  async #signedXml(response: string, provider: IdentityProvider): Promise<string> {
    const saml = await this.#saml(provider, '_');
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response });
    const xml = profile?.getAssertionXml?.();
    if (xml === undefined) throw new Error('no assertion');
    return xml;
  }

  async #isFirst({ id, expiresAt }: AssertionFacts, issuer: string): Promise<boolean> {
    return rememberOnce(this.#deps.db, SEEN, hashToken(`${issuer}|${id}`), expiresAt);
  }

  async #saml(provider: IdentityProvider, requestId: string): Promise<SAML> {
    const { SAML: Saml, ValidateInResponseTo } = await import('@node-saml/node-saml');
    const { settings } = this.#deps;
    return new Saml({
      idpCert: [...provider.certificates],
      issuer: settings.entityId,
      audience: settings.entityId,
      callbackUrl: settings.acsUrl,
      entryPoint: provider.signInUrl,
      wantAssertionsSigned: true,
      wantAuthnResponseSigned: false,
      acceptedClockSkewMs: CLOCK_SKEW_MS,
      // which request is answered is checked here, where it can be done once and for all processes
      validateInResponseTo: ValidateInResponseTo.never,
      generateUniqueId: () => requestId,
      // how a user is named and how he proves himself is up to the provider
      identifierFormat: null,
      disableRequestedAuthnContext: true,
      signatureAlgorithm: 'sha256',
      digestAlgorithm: 'sha256',
      ...(this.#key === undefined
        ? {}
        : { privateKey: this.#key.privateKey, publicCert: this.#key.certificate, decryptionPvk: this.#key.privateKey }),
    });
  }
}
