import { z } from 'zod';

/** What a good assertion says. */
export interface AssertionFacts {
  readonly id: string;
  /** The request of ours that it answers. */
  readonly requestId: string;
  /** After this its age alone refuses it. */
  readonly expiresAt: Date;
  readonly nameId: string;
  readonly nameIdFormat: string;
  readonly attributes: ReadonlyMap<string, readonly string[]>;
}

export interface Expected {
  readonly issuer: string;
  readonly audience: string;
  readonly recipient: string;
  readonly now: Date;
}

export type AssertionResult = { readonly ok: true; readonly facts: AssertionFacts } | { readonly ok: false; readonly reason: string };

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';

const timeOf = (element: XmlElement, name: string): number | undefined => {
  const text = element.attributes.get(name);
  return text === undefined ? undefined : Date.parse(text);
};

/** Whether `element` is valid at `now`. A time that cannot be read makes it invalid, and so does the lack of an end where `mustEnd`. */
const isInTime = (element: XmlElement, now: Date, mustEnd: boolean): boolean => {
  const [from = Number.NEGATIVE_INFINITY, until = mustEnd ? Number.NaN : Number.POSITIVE_INFINITY] = [
    timeOf(element, 'NotBefore'),
    timeOf(element, 'NotOnOrAfter'),
  ];
  return from <= now.getTime() + CLOCK_SKEW_MS && now.getTime() - CLOCK_SKEW_MS < until;
};

const isForUs = (conditions: XmlElement, audience: string): boolean => {
  const restrictions = childrenOf(conditions, ASSERTION, 'AudienceRestriction');
  return (
    restrictions.length > 0 &&
    restrictions.every((restriction) => childrenOf(restriction, ASSERTION, 'Audience').some(({ text }) => text === audience))
  );
};

/** The confirmation that whoever brings the assertion to us, now, is meant. */
const findConfirmation = (subject: XmlElement, { recipient, now }: Expected): XmlElement | undefined =>
  childrenOf(subject, ASSERTION, 'SubjectConfirmation')
    .filter(({ attributes }) => attributes.get('Method') === BEARER)
    .map((confirmation) => onlyChild(confirmation, ASSERTION, 'SubjectConfirmationData'))
    .find((data) => data !== undefined && data.attributes.get('Recipient') === recipient && isInTime(data, now, true));

const readAttributes = (assertion: XmlElement): ReadonlyMap<string, readonly string[]> => {
  const attributes = new Map<string, readonly string[]>();
  for (const attribute of childrenOf(assertion, ASSERTION, 'AttributeStatement').flatMap((s) => childrenOf(s, ASSERTION, 'Attribute'))) {
    const name = attribute.attributes.get('Name') ?? '';
    const values = childrenOf(attribute, ASSERTION, 'AttributeValue').map(({ text }) => text);
    attributes.set(name, [...(attributes.get(name) ?? []), ...values]);
  }
  return attributes;
};

const hasEndedSession = (assertion: XmlElement, now: Date): boolean =>
  childrenOf(assertion, ASSERTION, 'AuthnStatement').some((statement) => {
    const until = timeOf(statement, 'SessionNotOnOrAfter');
    return until !== undefined && !(now.getTime() - CLOCK_SKEW_MS < until);
  });

const wrong = (reason: string): AssertionResult => ({ ok: false, reason });

/** Reads an assertion whose signature is good, and holds it against what was expected. The library checks only part of this. */
export const readAssertion = (assertion: XmlElement, expected: Expected): AssertionResult => {
  const { issuer, audience, now } = expected;
  const id = assertion.attributes.get('ID') ?? '';
  const conditions = onlyChild(assertion, ASSERTION, 'Conditions');
  const subject = onlyChild(assertion, ASSERTION, 'Subject');
  const nameId = onlyChild(subject, ASSERTION, 'NameID');
  if (assertion.namespace !== ASSERTION || assertion.name !== 'Assertion' || id === '') return wrong('not an assertion');
  if (onlyChild(assertion, ASSERTION, 'Issuer')?.text !== issuer) return wrong('wrong issuer');
  if (conditions === undefined || subject === undefined || nameId === undefined || nameId.text === '')
    return wrong('conditions, subject or name id missing');
  if (!isInTime(conditions, now, true)) return wrong('outside the validity period');
  if (!isForUs(conditions, audience)) return wrong('wrong audience');
  if (hasEndedSession(assertion, now)) return wrong('the session at the provider has ended');
  const confirmation = findConfirmation(subject, expected);
  const requestId = confirmation?.attributes.get('InResponseTo');
  if (confirmation === undefined) return wrong('wrong recipient or outside the validity period');
  // Choice: sign-ins that the identity provider begins by itself are refused. They cannot be told from stolen or injected ones.
  if (requestId === undefined) return wrong('InResponseTo does not match a request');
  const ends = [conditions, confirmation].map((element) => timeOf(element, 'NotOnOrAfter') ?? 0);
  return {
    ok: true,
    facts: {
      id,
      requestId,
      expiresAt: new Date(Math.min(...ends) + CLOCK_SKEW_MS),
      nameId: nameId.text,
      nameIdFormat: nameId.attributes.get('Format') ?? '',
      attributes: readAttributes(assertion),
    },
  };
};

export interface SamlSettings {
  /** A URL, or the path of a file. */
  readonly metadata: string;
  readonly entityId: string;
  readonly acsUrl: string;
  readonly certificateFile: string | undefined;
  readonly privateKeyFile: string | undefined;
  /** Names of attributes; what is left out is found under its usual names. */
  readonly attributes: {
    readonly username?: string | undefined;
    readonly email?: string | undefined;
    readonly name?: string | undefined;
    readonly groups?: string | undefined;
  };
}

/** How far the clocks of this machine and of the identity provider may be apart. */
export const CLOCK_SKEW_MS = 60_000;

/** An element as a plain value. */
export interface XmlElement {
  readonly namespace: string;
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Its own text, without that of its children; comments are no part of it. */
  readonly text: string;
}

const MAX_DEPTH = 60;

/** Elements as the parser gives them. */
const parsedElement = z.object({
  $ns: z.object({ uri: z.string(), local: z.string() }),
  $: z.record(z.string(), z.object({ value: z.string() })).optional(),
  $$: z.array(z.unknown()).optional(),
  _: z.string().optional(),
});

const toElement = (value: unknown, depth = 0): XmlElement => {
  if (depth > MAX_DEPTH) throw new Error('XML has too many nested levels');
  const { $ns, $, $$, _ } = parsedElement.parse(value);
  return {
    namespace: $ns.uri,
    name: $ns.local,
    attributes: new Map(Object.entries($ ?? {}).map(([name, attribute]) => [name, attribute.value])),
    children: ($$ ?? []).map((child) => toElement(child, depth + 1)),
    text: (_ ?? '').trim(),
  };
};

/** A document without a type declaration, and so without entities of its own: neither is ever needed here, and both are used for attacks. */
export const parseXml = async (text: string): Promise<XmlElement> => {
  if (/<!(?!--|\[CDATA\[)/.test(text)) throw new Error('XML has a document type declaration');
  // only who uses SAML pays for loading it
  const { Parser } = await import('xml2js');
  const parser = new Parser({ xmlns: true, explicitRoot: false, explicitChildren: true, preserveChildrenOrder: true });
  const root: unknown = await parser.parseStringPromise(text);
  return toElement(root);
};

export const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata';
export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';

const isNamed = (element: XmlElement, namespace: string, name: string): boolean => element.namespace === namespace && element.name === name;

export const childrenOf = (element: XmlElement | undefined, namespace: string, name: string): readonly XmlElement[] =>
  (element?.children ?? []).filter((child) => isNamed(child, namespace, name));

/** The one child of this name; undefined where there is none or more than one. */
export const onlyChild = (element: XmlElement | undefined, namespace: string, name: string): XmlElement | undefined => {
  const [first, ...more] = childrenOf(element, namespace, name);
  return more.length === 0 ? first : undefined;
};

/** Every element of this name, at any depth, `element` among them. */
export const descendantsOf = (element: XmlElement, namespace: string, name: string): readonly XmlElement[] => [
  ...(isNamed(element, namespace, name) ? [element] : []),
  ...element.children.flatMap((child) => descendantsOf(child, namespace, name)),
];
