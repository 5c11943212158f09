import { X509Certificate } from 'node:crypto';
import { childrenOf, descendantsOf, METADATA, parseXml, SIGNATURE, type XmlElement } from './xml.ts';

/** What is needed of an identity provider. */
export interface IdentityProvider {
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
export const parseMetadata = async (text: string, now: Date): Promise<IdentityProvider> => {
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
