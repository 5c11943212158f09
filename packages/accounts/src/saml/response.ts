import { signInRefused } from '../sign-in-errors.ts';
import { childrenOf, descendantsOf, onlyChild, PROTOCOL, parseXml, SIGNATURE, type XmlElement } from './xml.ts';

/** Choice: as much as the form may have; answers have some 10 kB. */
export const MAX_RESPONSE_BYTES = 256 * 1024;

const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';

/** The response around the assertion. Nothing in it is signed as a rule, so it can only speak against a sign-in, never for one. */
export const readEnvelope = async (response: string): Promise<XmlElement> => {
  if (response.length > MAX_RESPONSE_BYTES) throw new Error('the response is too large');
  return parseXml(Buffer.from(response, 'base64').toString('utf8'));
};

const isWeak = ({ attributes }: XmlElement): boolean => /sha1$|md5$|hmac/i.test(attributes.get('Algorithm') ?? '');

/** Throws when the response is for somebody else, tells of a failure, or is signed in a way that can be forged. */
export const checkEnvelope = (envelope: XmlElement, acsUrl: string): void => {
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
