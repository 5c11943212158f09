import { z } from 'zod';

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
export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
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
