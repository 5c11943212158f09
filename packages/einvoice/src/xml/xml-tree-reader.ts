import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import { EinvoiceError } from '../einvoice-error.ts';
import type { EinvoiceLimits } from '../limits.ts';
import type { XmlNode } from './xml-node.ts';

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
