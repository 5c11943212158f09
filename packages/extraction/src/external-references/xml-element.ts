import type { ReferenceKind } from './reference-kinds.ts';

export interface XmlAttribute {
  /** As written, with its prefix. */
  readonly name: string;
  readonly local: string;
  readonly uri: string;
  readonly value: string;
}

export interface XmlElement {
  readonly name: string;
  readonly local: string;
  readonly uri: string;
  readonly isSelfClosing: boolean;
  readonly attributes: readonly XmlAttribute[];
}

/** What is done to an element that holds a reference: remove it, or give an attribute another value (undefined: none). */
export type ElementChange =
  | { readonly kind: ReferenceKind; readonly attribute?: undefined }
  | { readonly kind: ReferenceKind; readonly attribute: string; readonly value: string | undefined };

export const attributeOf = (element: XmlElement, local: string): string | undefined =>
  element.attributes.find((attribute) => attribute.local === local)?.value;

const WORD = new Set(['http://schemas.openxmlformats.org/wordprocessingml/2006/main', 'http://purl.oclc.org/ooxml/wordprocessingml/main']);
export const isWord = (uri: string): boolean => WORD.has(uri);

const OPEN_DOCUMENT = ['urn:oasis:names:tc:opendocument:xmlns:', 'urn:org:documentfoundation:names:', 'http://openoffice.org/'];
/** All versions, and what came before the standard. */
export const isOpenDocument = (uri: string): boolean => OPEN_DOCUMENT.some((start) => uri.startsWith(start));

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};
const escape = (value: string): string => value.replaceAll(/[&<>"\t\n\r]/g, (character) => ESCAPES[character] ?? character);

/** The start tag with the changed attributes. */
export const writeTag = (element: XmlElement, changes: readonly ElementChange[]): string => {
  const changed = new Map(changes.flatMap((change) => (change.attribute === undefined ? [] : [[change.attribute, change.value] as const])));
  const attributes = element.attributes
    .map(({ name, value }) => ({ name, value: changed.has(name) ? changed.get(name) : value }))
    .map(({ name, value }) => (value === undefined ? '' : ` ${name}="${escape(value)}"`));
  return `<${element.name}${attributes.join('')}${element.isSelfClosing ? '/' : ''}>`;
};
