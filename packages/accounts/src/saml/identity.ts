import { toCleanText } from '../clean-text.ts';
import type { ExternalIdentity } from '../external-identity.ts';
import type { AssertionFacts } from './assertion.ts';
import type { SamlSettings } from './settings.ts';

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
 * The user as the assertion describes him. Undefined where nothing names him for longer than one session: a transient name id
 * without a user name.
 *
 * An address from the attribute that the administrator named counts as verified: it comes from the organisation's own directory.
 * One that was merely found under a usual name does not.
 */
export const toIdentity = (
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
