import { randomBytes } from 'node:crypto';
import { IdentityProvider, SamlLib, ServiceProvider, setSchemaValidator } from 'samlify';
import type { KeyPair } from './certificate.ts';

setSchemaValidator({ validate: async () => 'not asked' });

export const IDP_ENTITY = 'https://idp.example/metadata';
const SIGN_IN_URL = 'https://idp.example/sign-in';
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
export const RSA_SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';

/** What an answer says; each part can be said wrongly. */
export interface ResponseFacts {
  readonly requestId: string;
  readonly acsUrl: string;
  readonly audience: string;
  readonly issuer?: string;
  readonly destination?: string;
  readonly recipient?: string | undefined;
  readonly nameId?: string;
  readonly nameIdFormat?: string;
  readonly assertionId?: string;
  readonly responseId?: string;
  readonly attributes?: Readonly<Record<string, readonly string[]>>;
  readonly notBefore?: Date;
  readonly notOnOrAfter?: Date;
  /** Attributes of the confirmation beside the usual ones; they go before those. */
  readonly confirmation?: Readonly<Record<string, string | undefined>>;
  readonly status?: string;
}

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const newId = (): string => `_${randomBytes(12).toString('hex')}`;
const inMinutes = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);

const attributeXml = (attributes: Readonly<Record<string, readonly string[]>>): string => {
  const each = Object.entries(attributes).map(([name, values]) => {
    const texts = values.map((value) => `<saml:AttributeValue>${escape(value)}</saml:AttributeValue>`).join('');
    return `<saml:Attribute Name="${escape(name)}">${texts}</saml:Attribute>`;
  });
  return each.length === 0 ? '' : `<saml:AttributeStatement>${each.join('')}</saml:AttributeStatement>`;
};

const confirmationXml = ({ requestId, acsUrl, recipient, notOnOrAfter = inMinutes(5), confirmation = {} }: ResponseFacts): string => {
  const all = { InResponseTo: requestId, Recipient: recipient ?? acsUrl, NotOnOrAfter: notOnOrAfter.toISOString(), ...confirmation };
  const written = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${escape(value)}"`]));
  return `<saml:SubjectConfirmationData${written.join('')}/>`;
};

/** An assertion without a signature. */
export const assertionXml = (facts: ResponseFacts): string => {
  const { issuer = IDP_ENTITY, audience, nameId = 'ann-1', nameIdFormat = PERSISTENT, assertionId = newId(), attributes = {} } = facts;
  const { notBefore = inMinutes(-1), notOnOrAfter = inMinutes(5) } = facts;
  return [
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${assertionId}" Version="2.0" IssueInstant="${new Date().toISOString()}">`,
    `<saml:Issuer>${escape(issuer)}</saml:Issuer>`,
    `<saml:Subject><saml:NameID Format="${nameIdFormat}">${escape(nameId)}</saml:NameID>`,
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">${confirmationXml(facts)}</saml:SubjectConfirmation></saml:Subject>`,
    `<saml:Conditions NotBefore="${notBefore.toISOString()}" NotOnOrAfter="${notOnOrAfter.toISOString()}">`,
    `<saml:AudienceRestriction><saml:Audience>${escape(audience)}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    '<saml:AuthnStatement AuthnInstant="2026-01-01T00:00:00Z"><saml:AuthnContext>',
    '<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>',
    '</saml:AuthnContext></saml:AuthnStatement>',
    attributeXml(attributes),
    '</saml:Assertion>',
  ].join('');
};

/** A response around `content`, without a signature of its own. */
export const responseXml = (facts: ResponseFacts, content = assertionXml(facts)): string => {
  const { requestId, issuer = IDP_ENTITY, destination = facts.acsUrl, status = 'Success', responseId = newId() } = facts;
  return [
    '<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"',
    ` ID="${responseId}" Version="2.0" IssueInstant="${new Date().toISOString()}" Destination="${escape(destination)}" InResponseTo="${requestId}">`,
    `<saml:Issuer>${escape(issuer)}</saml:Issuer>`,
    `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${status}"/></samlp:Status>`,
    content,
    '</samlp:Response>',
  ].join('');
};

const ASSERTION_PATH = "/*[local-name(.)='Response']/*[local-name(.)='Assertion']";

const sign = (xml: string, { key, certificate }: KeyPair, what: 'assertion' | 'response', signatureAlgorithm: string): string => {
  const place = what === 'assertion' ? ASSERTION_PATH : "/*[local-name(.)='Response']";
  return SamlLib.constructSAMLSignature({
    rawSamlMessage: xml,
    ...(what === 'assertion' ? { referenceTagXPath: ASSERTION_PATH } : { isMessageSigned: true }),
    privateKey: key,
    signatureAlgorithm,
    signingCert: certificate.replaceAll(/-----[A-Z ]+-----|\s/g, ''),
    isBase64Output: false,
    signatureConfig: { prefix: 'ds', location: { reference: `${place}/*[local-name(.)='Issuer']`, action: 'after' } },
  });
};

export const signAssertion = (xml: string, pair: KeyPair, signatureAlgorithm = RSA_SHA256): string =>
  sign(xml, pair, 'assertion', signatureAlgorithm);
export const signResponse = (xml: string, pair: KeyPair): string => sign(xml, pair, 'response', RSA_SHA256);

export const encode = (xml: string): string => Buffer.from(xml).toString('base64');

const settingsOf = (pairs: readonly KeyPair[], isAssertionEncrypted: boolean, signInUrl = SIGN_IN_URL) => ({
  entityID: IDP_ENTITY,
  signingCert: pairs.map(({ certificate }) => certificate),
  privateKey: pairs[0]?.key ?? '',
  requestSignatureAlgorithm: RSA_SHA256,
  wantAuthnRequestsSigned: true,
  isAssertionEncrypted,
  nameIDFormat: [PERSISTENT],
  singleSignOnService: [{ Binding: REDIRECT, Location: signInUrl }],
  singleLogoutService: [{ Binding: REDIRECT, Location: signInUrl }],
});

/** The metadata of an identity provider that signs with any of `pairs`, and whose pages are at `signInUrl`. */
export const idpMetadata = (pairs: readonly KeyPair[], signInUrl = SIGN_IN_URL): string =>
  IdentityProvider(settingsOf(pairs, false, signInUrl)).getMetadata();

/** What the provider reads of the address a browser was sent to. With `serviceMetadata` it checks the signature of the request. */
export const readRequest = async (pair: KeyPair, serviceMetadata: string, url: string): Promise<string> => {
  const { searchParams, search } = new URL(url);
  const query = Object.fromEntries(searchParams);
  const octets = search
    .slice(1)
    .split('&')
    .filter((part) => !part.startsWith('Signature='))
    .join('&');
  const idp = IdentityProvider(settingsOf([pair], false));
  const { extract } = await idp.parseLoginRequest(ServiceProvider({ metadata: serviceMetadata }), 'redirect', {
    query,
    octetString: octets,
  });
  return String(extract.request?.['id']);
};

/** An answer as the library makes it by itself, from the metadata of this service; encrypted where it names a key for that. */
export const libraryResponse = async (
  pair: KeyPair,
  serviceMetadata: string,
  facts: ResponseFacts,
  isEncrypted: boolean,
): Promise<string> => {
  const idp = IdentityProvider(settingsOf([pair], isEncrypted));
  const { context } = await idp.createLoginResponse(
    ServiceProvider({ metadata: serviceMetadata }),
    { extract: {} },
    'post',
    {},
    {
      customTagReplacement: () => ({ id: newId(), context: responseXml(facts) }),
    },
  );
  return context;
};
