import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import { EinvoiceError } from '../einvoice-error.ts';
import type { EinvoiceLimits } from '../limits.ts';

/** By the name in the declaration, in lower case: what the decoder is called. Encodings of e-invoices and their near relatives only. */
const DECODERS: Readonly<Record<string, string>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  ascii: 'utf-8',
  'iso-8859-1': 'windows-1252',
  'iso8859-1': 'windows-1252',
  latin1: 'windows-1252',
  'windows-1252': 'windows-1252',
  'iso-8859-15': 'iso-8859-15',
};
const UTF_16 = /^(?:utf-?16(?:[bl]e)?|iso-10646-ucs-2)$/;
/** A declaration is the first thing of a document, so only its head is looked at. */
const HEAD_BYTES = 256;

/**
 * The encoding of a document by its byte order mark, else by how its first characters lie, else by its declaration (XML 1.0, appendix F),
 * as a name for TextDecoder. Throws `wrong_encoding` where the declaration contradicts the bytes or is not supported.
 */
export const encodingOf = (head: Uint8Array): string => {
  const [first, second, third, fourth] = head;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0x3c && second === 0 && fourth === 0) return 'utf-16le';
  if (first === 0 && second === 0x3c && third === 0) return 'utf-16be';
  return declaredDecoder(declaredEncoding(head));
};

const declaredDecoder = (declared: string): string => {
  if (UTF_16.test(declared)) throw new EinvoiceError('wrong_encoding', 'The document declares UTF-16, but its bytes are not UTF-16');
  const decoder = Object.hasOwn(DECODERS, declared) ? DECODERS[declared] : undefined;
  if (decoder === undefined) throw new EinvoiceError('wrong_encoding', 'The declared encoding of the document is not supported');
  return decoder;
};

/** In lower case; UTF-8 where none is named. */
const declaredEncoding = (head: Uint8Array): string => {
  const text = Buffer.from(head.subarray(0, HEAD_BYTES)).toString('latin1').trimStart();
  const end = text.indexOf('?>');
  if (!text.startsWith('<?xml') || end === -1) return 'utf-8';
  const at = text.indexOf('encoding', 5);
  if (at === -1 || at > end) return 'utf-8';
  const [, named = ''] = text.slice(at, end).split(/["']/, 2);
  return named.toLowerCase();
};

/** Decodes piece by piece. Bytes that the encoding does not have are an error: no name of a company is guessed. */
export class XmlDecoder {
  #decoder: TextDecoder | undefined;
  #head: Uint8Array = new Uint8Array();

  /** Throws `wrong_encoding`. */
  write(piece: Uint8Array): string {
    if (this.#decoder !== undefined) return this.#decode(piece, true);
    this.#head = Buffer.concat([this.#head, piece]);
    return this.#head.length < HEAD_BYTES ? '' : this.#start();
  }

  /** Throws `truncated` where the last character is cut. */
  end(): string {
    const rest = this.#decoder === undefined ? this.#start() : '';
    try {
      return rest + this.#decode(new Uint8Array(), false);
    } catch {
      throw new EinvoiceError('truncated', 'The document ends within a character');
    }
  }

  #start(): string {
    this.#decoder = new TextDecoder(encodingOf(this.#head), { fatal: true });
    const head = this.#head;
    this.#head = new Uint8Array();
    return this.#decode(head, true).trimStart(); // white space before the declaration is a slip of many programs
  }

  #decode(piece: Uint8Array, stream: boolean): string {
    try {
      return this.#decoder?.decode(piece, { stream }) ?? '';
    } catch {
      throw new EinvoiceError('wrong_encoding', 'The document holds bytes that its encoding does not have');
    }
  }
}

/** An element by its local name. Of an element with children the text is dropped: no e-invoice mixes them. */
export interface XmlNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlNode[];
  text: string;
}

/** Elements that a syntax called otherwise in another version: `New|Old`. */
type Step = string;

const isNamed = (node: XmlNode, step: Step): boolean => node.name === step || (step.includes('|') && step.split('|').includes(node.name));

/** The children of that name. */
export const all = (node: XmlNode | undefined, step: Step): XmlNode[] => node?.children.filter((child) => isNamed(child, step)) ?? [];

/** The first element on the way down; undefined where a step is not there. */
export const at = (node: XmlNode | undefined, ...path: readonly Step[]): XmlNode | undefined => {
  let found = node;
  for (const step of path) found = found?.children.find((child) => isNamed(child, step));
  return found;
};

/** The text of an element without white space around it, undefined where it is empty or not there. */
export const textOf = (node: XmlNode | undefined): string | undefined => {
  const text = node?.text.trim();
  return text === '' ? undefined : text;
};

/** The first text at the end of that path: where an element is repeated, the first that has one counts. */
export const textAt = (node: XmlNode | undefined, ...path: readonly Step[]): string | undefined => {
  const [step, ...rest] = path;
  if (node === undefined || step === undefined) return textOf(node);
  for (const child of node.children) {
    const text = isNamed(child, step) ? textAt(child, ...rest) : undefined;
    if (text !== undefined) return text;
  }
  return undefined;
};

/** The texts of all children of that name that have one. */
export const textsAt = (node: XmlNode | undefined, step: Step): string[] =>
  all(node, step)
    .map(textOf)
    .filter((text) => text !== undefined);

export const attributeOf = (node: XmlNode | undefined, name: string): string | undefined => {
  const value = node?.attributes[name]?.trim();
  return value === '' ? undefined : value;
};

export interface TreeHandler {
  /** With the namespace and local name of the root, before anything of it is kept. May throw. */
  root(namespace: string, name: string): void;
  /** Asked for each child of a child of the root and above: true hands it to `detached` when it is whole, and keeps it no longer. */
  detaches(name: string): boolean;
  detached(node: XmlNode): void;
}

/** The parser is fed slices of this many UTF-16 units, so that what it holds unfinished is seen before it grows. */
const SLICE_CHARS = 16 * 1024;
/** The elements of UBL and CII that hold a document in base64 (BT-125). */
const EMBEDDED = ['EmbeddedDocumentBinaryObject', 'AttachmentBinaryObject'];
/** Lines lie this deep: children of the root (UBL) or of its transaction (CII). */
const MAX_DETACH_DEPTH = 3;

/** XML to a tree within limits. Document types are refused, so there is no entity to expand and nothing to fetch. */
export class XmlTreeReader {
  readonly #parser = new SaxesParser({ xmlns: true, position: false });
  readonly #limits: EinvoiceLimits;
  readonly #handler: TreeHandler;
  readonly #open: XmlNode[] = [];
  #root: XmlNode | undefined;
  #elements = 0;
  #attributes = 0;
  #isInTag = false;
  #isEnding = false;
  #pendingChars = 0;

  constructor(handler: TreeHandler, limits: EinvoiceLimits) {
    this.#handler = handler;
    this.#limits = limits;
    this.#parser.on('error', (error) => this.#refuse(error));
    this.#parser.on('doctype', () => refuseDoctype());
    this.#parser.on('opentagstart', () => this.#startTag());
    this.#parser.on('attribute', () => this.#countAttribute());
    this.#parser.on('opentag', (tag) => this.#openElement(tag));
    this.#parser.on('text', (text) => this.#addText(text));
    this.#parser.on('cdata', (text) => this.#addText(text));
    this.#parser.on('closetag', () => this.#closeElement());
    this.#parser.on('comment', () => this.#notePiece());
  }

  /** Throws EinvoiceError. */
  write(text: string): void {
    for (let start = 0; start < text.length; start += SLICE_CHARS) {
      const slice = text.slice(start, start + SLICE_CHARS);
      this.#pendingChars += slice.length;
      this.#parser.write(slice);
      if (this.#pendingChars > this.#maxPending())
        throw new EinvoiceError('too_large', 'A text, a comment or a tag of the document is too long');
    }
  }

  /** The root, without what was detached. Throws EinvoiceError. */
  end(): XmlNode {
    this.#isEnding = true;
    this.#parser.close();
    if (this.#root === undefined) throw new EinvoiceError('not_einvoice', 'The document has no root element');
    return this.#root;
  }

  #maxPending(): number {
    if (this.#isInTag) return this.#limits.maxTagChars;
    return EMBEDDED.includes(this.#open.at(-1)?.name ?? '') ? this.#limits.maxAttachmentChars : this.#limits.maxTextChars;
  }

  #notePiece(): void {
    this.#pendingChars = 0;
  }

  #startTag(): void {
    this.#notePiece();
    this.#isInTag = true;
    this.#attributes = 0;
    this.#elements += 1;
    if (this.#elements > this.#limits.maxElements) throw new EinvoiceError('too_large', 'The document has too many elements');
    if (this.#open.length >= this.#limits.maxDepth)
      throw new EinvoiceError('too_deep', 'The elements of the document are nested too deeply');
  }

  #countAttribute(): void {
    this.#attributes += 1;
    if (this.#attributes > this.#limits.maxAttributes)
      throw new EinvoiceError('too_large', 'An element of the document has too many attributes');
  }

  #openElement(tag: SaxesTagNS): void {
    this.#notePiece();
    this.#isInTag = false;
    if (this.#root === undefined) this.#handler.root(tag.uri, tag.local);
    const node: XmlNode = { name: tag.local, attributes: plainAttributes(tag.attributes), children: [], text: '' };
    this.#root ??= node;
    this.#open.push(node);
  }

  #addText(text: string): void {
    this.#notePiece();
    const node = this.#open.at(-1);
    if (node?.children.length === 0) node.text += text;
  }

  #closeElement(): void {
    this.#notePiece();
    const node = this.#open.pop();
    const parent = this.#open.at(-1);
    if (node === undefined || parent === undefined) return;
    if (this.#open.length < MAX_DETACH_DEPTH && this.#handler.detaches(node.name)) return this.#handler.detached(node);
    parent.text = '';
    parent.children.push(node);
  }

  #refuse(error: Error): never {
    if (this.#isEnding && this.#root !== undefined) throw new EinvoiceError('truncated', 'The document ends before its root element does');
    if (this.#isEnding) throw new EinvoiceError('not_einvoice', 'The document has no root element');
    if (error.message.includes('undefined entity'))
      throw new EinvoiceError('entity_refused', 'The document refers to an entity of its own');
    throw new EinvoiceError('not_well_formed', 'The document is not well-formed XML');
  }
}

const refuseDoctype = (): never => {
  throw new EinvoiceError('doctype_refused', 'The document has a document type, which e-invoices must not have');
};

const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze({});

/** By local name; declarations of namespaces are left out. */
const plainAttributes = (attributes: Readonly<Record<string, SaxesAttributeNS>>): Readonly<Record<string, string>> => {
  const kept = Object.values(attributes).filter(({ name, prefix }) => name !== 'xmlns' && prefix !== 'xmlns');
  return kept.length === 0 ? NO_ATTRIBUTES : Object.fromEntries(kept.map(({ local, value }) => [local, value]));
};
