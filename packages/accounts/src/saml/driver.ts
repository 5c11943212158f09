import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { SAML } from '@node-saml/node-saml';
import { AppError } from '@sheaf/contract';
import { makeProblem } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import type { GuardedFetch } from '@sheaf/outbound';
import { type Clock, FatalError, type Logger } from '@sheaf/process';
import { errorText } from '@sheaf/process/errors';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { CachedValue } from '../cached-value.ts';
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
import { hashToken, recordOnce } from '../one-time-tokens.ts';
import { toReturnPath } from '../return-path.ts';
import {
  type AssertionFacts,
  CLOCK_SKEW_MS,
  childrenOf,
  descendantsOf,
  METADATA,
  onlyChild,
  PROTOCOL,
  parseXml,
  readAssertion,
  type SamlSettings,
  SIGNATURE,
  type XmlElement,
} from './assertion.ts';

export interface SamlDriverDeps {
  readonly settings: SamlSettings;
  readonly fetch: GuardedFetch;
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
}

const SEEN = 'saml_assertion';

/** Signs in through a SAML 2.0 identity provider: request by redirect, answer by POST. Says who somebody is, not what they may do. */
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
    return recordOnce(this.#deps.db, SEEN, hashToken(`${issuer}|${id}`), expiresAt);
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
      // how a user is named and how they prove themselves is up to the provider
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

/** Choice: as much as the form may have; answers have some 10 kB. */
export const MAX_RESPONSE_BYTES = 256 * 1024;

const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';

/** The response around the assertion. Nothing in it is signed as a rule, so it can only speak against a sign-in, never for one. */
const readEnvelope = async (response: string): Promise<XmlElement> => {
  if (response.length > MAX_RESPONSE_BYTES) throw new Error('the response is too large');
  return parseXml(Buffer.from(response, 'base64').toString('utf8'));
};

const isWeak = ({ attributes }: XmlElement): boolean => /sha1$|md5$|hmac/i.test(attributes.get('Algorithm') ?? '');

/** Throws when the response is for somebody else, tells of a failure, or is signed in a way that can be forged. */
const checkEnvelope = (envelope: XmlElement, acsUrl: string): void => {
  if (envelope.namespace !== PROTOCOL || envelope.name !== 'Response') throw new Error('not a response');
  const destination = envelope.attributes.get('Destination');
  if (destination !== undefined && destination !== '' && destination !== acsUrl) throw new Error('the response has a wrong Destination');
  const status = onlyChild(onlyChild(envelope, PROTOCOL, 'Status'), PROTOCOL, 'StatusCode')?.attributes.get('Value');
  if (status !== SUCCESS) throw signInRefused();
  // Choice: SHA-1 is refused. Collisions of it can be bought. (Below an encrypted key it names a mask, where it does no harm.)
  const signed = descendantsOf(envelope, SIGNATURE, 'SignedInfo');
  const methods = signed.flatMap((info) => ['SignatureMethod', 'DigestMethod'].flatMap((name) => descendantsOf(info, SIGNATURE, name)));
  if (methods.some(isWeak)) throw new Error('the signature uses SHA-1 or weaker');
  if (childrenOf(envelope, PROTOCOL, 'Response').length > 0) throw new Error('nested responses');
};

/** The key of this service and its certificate, as PEM. */
interface OwnKey {
  readonly privateKey: string;
  readonly certificate: string;
}

const read = (variable: string, path: string, check: (pem: string) => void): string => {
  try {
    const pem = readFileSync(path, 'utf8');
    check(pem);
    return pem.trim();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown';
    throw new FatalError(makeProblem('saml_key_invalid', { variable, error: reason }), EXIT.configuration, cause);
  }
};

/** Undefined where the settings name none. Ends the process where they name one that cannot be used. */
const readOwnKey = ({ certificateFile, privateKeyFile }: SamlSettings): OwnKey | undefined => {
  if (certificateFile === undefined || privateKeyFile === undefined) return undefined;
  const privateKey = read('SAML2_SP_PRIVATE_KEY', privateKeyFile, (pem) => void createPrivateKey(pem));
  const certificate = read('SAML2_SP_X509_CERT', certificateFile, (pem) => {
    if (!new X509Certificate(pem).checkPrivateKey(createPrivateKey(privateKey))) throw new Error('it does not match SAML2_SP_PRIVATE_KEY');
  });
  return { privateKey, certificate };
};

const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';

/** Under which names providers send what, where SAML2_ATTRIBUTE_MAPPING is silent. */
const USUAL_NAMES: Readonly<Record<keyof SamlSettings['attributes'], readonly string[]>> = {
  username: ['uid', 'username', 'urn:oid:0.9.2342.19200300.100.1.1', `${CLAIMS}/name`],
  email: ['email', 'mail', 'urn:oid:0.9.2342.19200300.100.1.3', `${CLAIMS}/emailaddress`],
  name: ['displayName', 'urn:oid:2.16.840.1.113730.3.1.241', 'cn', 'name'],
  groups: [
    'groups',
    'memberOf',
    'http://schemas.xmlsoap.org/claims/Group',
    'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups',
  ],
};

const FORMAT = 'urn:oasis:names:tc:SAML:2.0:nameid-format';
const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

/**
 * The user as the assertion describes them. Undefined where nothing names them for longer than one session: a transient name id
 * without a user name.
 *
 * An address from the attribute that the administrator named counts as verified: it comes from the organisation's own directory.
 * One that was merely found under a usual name does not.
 */
const toIdentity = (
  { nameId, nameIdFormat, attributes }: AssertionFacts,
  issuer: string,
  mapping: SamlSettings['attributes'],
): ExternalIdentity | undefined => {
  const valuesOf = (key: keyof SamlSettings['attributes']): readonly string[] => {
    const names = mapping[key] === undefined ? USUAL_NAMES[key] : [mapping[key]];
    const name = names.find((candidate) => attributes.has(candidate));
    return (name === undefined ? [] : (attributes.get(name) ?? [])).map(toCleanText).filter((value) => value !== undefined);
  };
  const isLasting = nameIdFormat !== `${FORMAT}:transient`;
  const isOpaque = !isLasting || nameIdFormat === `${FORMAT}:persistent`;
  const [sentName] = valuesOf('username');
  const username = sentName ?? (isOpaque || mapping.username !== undefined ? undefined : toCleanText(nameId));
  const subject = toCleanText(isLasting ? nameId : sentName);
  if (subject === undefined || (mapping.username !== undefined && username === undefined)) return undefined;
  const sentEmail = valuesOf('email').find((value) => value.includes('@'));
  return {
    method: 'saml2',
    externalId: `${issuer}|${subject}`,
    username,
    email: sentEmail ?? (nameIdFormat === EMAIL_FORMAT && mapping.email === undefined ? toCleanText(nameId) : undefined),
    emailVerified: mapping.email !== undefined && sentEmail !== undefined,
    displayName: valuesOf('name')[0],
    groups: [...new Set(valuesOf('groups'))],
  };
};

interface SamlProviderDeps {
  readonly settings: { readonly metadata: string };
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  readonly log: Logger;
}

const FRESH_MS = 24 * 60 * 60_000;
/** Anybody can send an answer that is not signed well, so that is no reason to ask more often than this. */
const LEAST_AGE_MS = 60_000;
const MAX_BYTES = 2 * 1024 * 1024;

const readMetadata = async (source: string, fetch: GuardedFetch): Promise<string> => {
  if (!/^https?:\/\//i.test(source)) {
    const { size } = await stat(source);
    if (size > MAX_BYTES) throw new Error(`the file is larger than ${MAX_BYTES} bytes`);
    return readFile(source, 'utf8');
  }
  const response = await fetch(source, { timeoutMs: 10_000, maxResponseBytes: MAX_BYTES, maxRedirects: 2 });
  if (response.status !== 200) {
    response.body.destroy();
    throw new Error(`the server returned status ${response.status}`);
  }
  return text(response.body);
};

/** The identity provider as its metadata describe it, read when it is first needed and again every day. */
class SamlProvider {
  readonly #metadata: CachedValue<IdentityProvider>;

  constructor({ settings, fetch, clock, log }: SamlProviderDeps) {
    this.#metadata = new CachedValue({
      load: async () => parseMetadata(await readMetadata(settings.metadata, fetch), clock.now()),
      translate: (cause, attempt) => {
        log.warn({ err: cause, attempt }, 'SAML metadata loading failed (SAML2_IDP_METADATA_URL)');
        return providerAway();
      },
      freshMs: FRESH_MS,
      clock,
    });
  }

  /** Throws SERVICE_UNAVAILABLE while nothing is known. */
  get(): Promise<IdentityProvider> {
    return this.#metadata.get();
  }

  /** For an answer that `old` did not sign: the provider as it is now, where that is another one. */
  async changed(old: IdentityProvider): Promise<IdentityProvider | undefined> {
    const now = await this.#metadata.reload(LEAST_AGE_MS);
    return now !== undefined && now.certificates.join() !== old.certificates.join() ? now : undefined;
  }
}

/** What is needed of an identity provider. */
interface IdentityProvider {
  readonly entityId: string;
  /** Where the browser is sent to. */
  readonly signInUrl: string;
  /** PEM. Several while a provider changes from one key to the next. */
  readonly certificates: readonly string[];
}

const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const MAX_CERTIFICATES = 10;

const isWebUrl = (text: string | undefined): text is string => text !== undefined && /^https?:\/\//i.test(text) && URL.canParse(text);

const readCertificates = (descriptor: XmlElement): readonly string[] =>
  childrenOf(descriptor, METADATA, 'KeyDescriptor')
    .filter((key) => key.attributes.get('use') !== 'encryption')
    .flatMap((key) => descendantsOf(key, SIGNATURE, 'X509Certificate'))
    .slice(0, MAX_CERTIFICATES)
    .map(({ text }) => new X509Certificate(Buffer.from(text, 'base64')).toString());

/** Throws an Error that says what the metadata lacks. */
const parseMetadata = async (text: string, now: Date): Promise<IdentityProvider> => {
  const root = await parseXml(text);
  const entities = descendantsOf(root, METADATA, 'EntityDescriptor').filter(
    (entity) => childrenOf(entity, METADATA, 'IDPSSODescriptor').length > 0,
  );
  const [entity, ...others] = entities;
  const descriptor = childrenOf(entity, METADATA, 'IDPSSODescriptor')[0];
  if (entity === undefined || descriptor === undefined) throw new Error('the metadata contains no identity provider');
  if (others.length > 0) throw new Error('the metadata contains several identity providers; use metadata with one');
  const isOver = [root, entity].some(({ attributes }) => Date.parse(attributes.get('validUntil') ?? '') <= now.getTime());
  if (isOver) throw new Error('the metadata has expired');
  const entityId = entity.attributes.get('entityID');
  const signInUrl = childrenOf(descriptor, METADATA, 'SingleSignOnService')
    .find(({ attributes }) => attributes.get('Binding') === REDIRECT)
    ?.attributes.get('Location');
  const certificates = readCertificates(descriptor);
  if (entityId === undefined || entityId === '') throw new Error('the metadata has no entityID');
  if (!isWebUrl(signInUrl)) throw new Error('the metadata has no SingleSignOnService with HTTP-Redirect binding');
  if (certificates.length === 0) throw new Error('the metadata has no signing certificate');
  return { entityId, signInUrl, certificates };
};
