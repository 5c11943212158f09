import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { checkLinks, checkSources } from './link-rules.ts';
import { checkOpenDocument, isOutsideSetting } from './open-document-rules.ts';
import { checkRelationship, checkRelationshipIds, sourcePartOf } from './relationship-rules.ts';
import { isLoadingFormula } from './sheet-formula.ts';
import { sortEdits, type TextEdit } from './text-edits.ts';
import { UnreadablePart } from './unreadable-part.ts';
import { WordFields } from './word-fields.ts';
import { type ElementChange, writeTag, type XmlElement } from './xml-element.ts';
import type { XmlEncoding } from './xml-encoding.ts';
import { XmlNamespaces } from './xml-namespaces.ts';

interface OpenElement {
  readonly element: XmlElement;
  readonly start: number;
  readonly contentStart: number;
  readonly removal: ElementChange | undefined;
  text: string;
}

export interface PartContext {
  readonly name: string;
  readonly encoding: XmlEncoding;
  /** Ids of the relationships of this part that are hyperlinks. For a part of relationships: filled with those it holds. */
  readonly hyperlinks: Set<string>;
}

const NONE: ReadonlySet<string> = new Set();
const FORMULAS = new Set(['f', 'definedName', 'formula', 'formula1', 'formula2']);
const MAX_EDITS = 200_000;
/** As in the source text: thousands of tables in tables are no document. */
const MAX_DEPTH = 1_000;
/** More text in one element is no formula, no field and no setting. */
const MAX_TEXT_CHARS = 100_000;

/** Finds what has to be changed in a part, which is read once and held nowhere. */
export class XmlInspection {
  readonly #parser = new SaxesParser();
  readonly #namespaces = new XmlNamespaces();
  readonly #context: PartContext;
  readonly #sourcePart: string | undefined;
  readonly #edits: TextEdit[] = [];
  readonly #fields = new WordFields(this.#edits);
  readonly #open: OpenElement[] = [];
  #start = 0;

  constructor(context: PartContext) {
    this.#context = context;
    this.#sourcePart = sourcePartOf(context.name);
    this.#parser.on('error', (error) => this.#fail(error.message));
    this.#parser.on('doctype', (text) => this.#checkDoctype(text));
    this.#parser.on('xmldecl', () => this.#rewriteDeclaration());
    this.#parser.on('opentagstart', ({ name }) => {
      this.#start = this.#parser.position - name.length - 2; // behind the character after the name
    });
    this.#parser.on('opentag', (tag) => this.#openTag(tag));
    this.#parser.on('text', (text) => this.#addText(text));
    this.#parser.on('cdata', (text) => this.#addText(text));
    this.#parser.on('closetag', () => this.#closeTag());
  }

  /** Throws UnreadablePart for what is no well-formed XML. */
  write(text: string): void {
    this.#parser.write(text);
    if (this.#edits.length > MAX_EDITS) this.#fail('too many references');
  }

  /** The edits, in order. */
  close(): readonly TextEdit[] {
    this.#parser.close();
    this.#fields.close();
    if (!this.#context.encoding.isUtf8 && this.#edits.every(({ start }) => start > 0))
      this.#edits.push({ start: 0, end: 0, text: '', kind: undefined }); // written again, without a declaration
    return sortEdits(this.#edits);
  }

  #openTag(tag: SaxesTagPlain): void {
    const element = this.#resolve(tag);
    if (element.local === 'html') this.#fail('web page');
    if (this.#open.length > MAX_DEPTH) this.#fail('too many nested levels');
    const changes = [
      ...(this.#sourcePart === undefined ? [] : checkRelationship(element, this.#sourcePart, this.#context.hyperlinks)),
      ...checkRelationshipIds(element, this.#sourcePart === undefined ? this.#context.hyperlinks : NONE),
      ...checkSources(element),
      ...checkLinks(element),
      ...checkOpenDocument(element),
      ...this.#fields.openElement(element),
    ];
    const removal = changes.find(({ attribute }) => attribute === undefined);
    if (removal === undefined) this.#changeAttributes(element, changes);
    this.#open.push({ element, start: this.#start, contentStart: this.#parser.position, removal, text: '' });
  }

  #resolve({ name, attributes, isSelfClosing }: SaxesTagPlain): XmlElement {
    this.#namespaces.open(attributes);
    const list = Object.entries(attributes).map(([own, value]) => ({ name: own, value, ...this.#namespaces.resolve(own, true) }));
    return { name, ...this.#namespaces.resolve(name, false), isSelfClosing, attributes: list };
  }

  #changeAttributes(element: XmlElement, changes: readonly ElementChange[]): void {
    const [first] = changes;
    if (first === undefined) return;
    this.#edits.push({ start: this.#start, end: this.#parser.position, text: writeTag(element, changes), kind: first.kind });
  }

  #addText(text: string): void {
    const top = this.#open.at(-1);
    if (top !== undefined && top.text.length < MAX_TEXT_CHARS) top.text += text;
  }

  #closeTag(): void {
    const closed = this.#open.pop();
    if (closed === undefined) return;
    this.#namespaces.close();
    const { element, start, contentStart, removal, text } = closed;
    const end = this.#parser.position;
    if (removal !== undefined) this.#edits.push({ start, end, text: '', kind: removal.kind });
    else if (FORMULAS.has(element.local) && isLoadingFormula(text)) this.#edits.push({ start, end, text: '', kind: 'formula' });
    else if (isOutsideSetting(element, text)) this.#edits.push({ start, end, text: '', kind: 'link' });
    else this.#fields.closeElement(element, text, { start: contentStart, end, text: `</${element.name}>`, kind: 'field' });
  }

  /** Entities of the document's own could hold anything; no office writes them. */
  #checkDoctype(text: string): void {
    if (text.includes('[')) this.#fail('document type with definitions');
  }

  #rewriteDeclaration(): void {
    if (this.#context.encoding.isUtf8) return;
    this.#edits.push({ start: 0, end: this.#parser.position, text: '<?xml version="1.0" encoding="UTF-8"?>', kind: undefined });
  }

  #fail(why: string): never {
    throw new UnreadablePart(`${this.#context.name}: ${why}`);
  }
}
