import { createReadStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { constants, gunzipSync } from 'node:zlib';
import { ZipWriter } from '@sheaf/sandbox/containers';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import {
  addCounts,
  applyEdits,
  attributeOf,
  checkLinks,
  checkOpenDocument,
  checkSources,
  countKinds,
  type ElementChange,
  isLoadingFormula,
  isOutside,
  isOutsideSetting,
  leavesPackage,
  type ReferenceCounts,
  sortEdits,
  type TextEdit,
  writeTag,
  type XmlElement,
} from './link-rules.ts';
import { type PackagePart, PackageSource, type StripRun } from './package-source.ts';
import { WordFields } from './word-fields.ts';
import { decodeXml, findXmlEncoding, looksLikeXml, UnreadablePart, type XmlEncoding, XmlNamespaces } from './xml-encoding.ts';

/**
 * Markup that could be a reference. Names of elements and attributes cannot be disguised in XML; values can, by character
 * references, sections and comments, which are hints themselves. Whatever has none of these need not be parsed.
 */
const HINTS = new RegExp(
  [
    /(?:href|src|image-data|archive|datasource|database-name|string-value|schema|resource)\s*=/,
    /(?:section|table|range|dde)-source|database-source|source-service|dde-(?:connection-decl|link)|ddeLink|oleLink/,
    /fldChar|instr(?:Text)?[\s>=]|InstrText|subDoc|attachedTemplate|mailMerge|webPr|textPr|dbPr|olapPr|config-item[\s>]|[<:]html[\s>]/,
    /&#|<!|<\?(?!xml )/,
    /webservice|\bdde\b|indirect|file:|(?:['\]]|&apos;)\s*#|#\s*\$|\[\d+\][^<>]{0,80}!/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);
const OVERLAP_CHARS = 256;

/** Whether a part in UTF-8 has to be parsed. */
class XmlHints {
  #rest = '';

  /** True as soon as something is found in `chunk` or across its beginning. */
  isIn(chunk: Buffer): boolean {
    const text = this.#rest + chunk.toString('latin1');
    this.#rest = text.slice(-OVERLAP_CHARS);
    return HINTS.test(text);
  }
}

/** What is done with a part: copied as it is, changed, emptied, or made anew because it is a document itself. */
type Plan =
  | { readonly action: 'copy' }
  | { readonly action: 'edit'; readonly encoding: XmlEncoding; readonly edits: readonly TextEdit[] }
  | { readonly action: 'empty' }
  | { readonly action: 'nested' };

/** Strips a document that lies in another one, which was written to `inner`. */
export type StripNested = (inner: string, output: string) => Promise<ReferenceCounts>;

/** Parts without which there is no document; others are emptied when they cannot be read. */
const NEEDED = /\.(?:xml|rels)$/i;
/** XML of other programs, which may be anything. */
const NOT_NEEDED = /^(?:customXml|META-INF\/documentsignatures)/i;
/** Kept while it is looked at: unpacking costs more than the look. */
const KEPT_BYTES = 4 * 1024 * 1024;

/**
 * Copies a package (OOXML, OpenDocument) without its references to the outside. The archive is always written anew, so that
 * an office sees no entry that was not looked at here. Throws UnreadablePart where that cannot be told.
 */
export const stripPackage = async (input: string, output: string, run: StripRun, strip: StripNested): Promise<ReferenceCounts> => {
  await using source = await PackageSource.open(input, run);
  const writer = await ZipWriter.create(output);
  try {
    const counts = await new PackageCopy(source, writer, output, strip).run();
    await writer.finish();
    return counts;
  } finally {
    await writer.close();
  }
};

class PackageCopy {
  readonly #source: PackageSource;
  readonly #writer: ZipWriter;
  readonly #scratchPath: string;
  readonly #strip: StripNested;
  /** Ids of hyperlinks by the part that has them, in small letters. */
  readonly #hyperlinks = new Map<string, Set<string>>();
  #counts: ReferenceCounts = {};

  constructor(source: PackageSource, writer: ZipWriter, scratchPath: string, strip: StripNested) {
    this.#source = source;
    this.#writer = writer;
    this.#scratchPath = scratchPath;
    this.#strip = strip;
  }

  async run(): Promise<ReferenceCounts> {
    const plans = new Map<PackagePart, Plan>();
    // Relationships first: they say which ids are hyperlinks.
    const isRelationships = ({ name }: PackagePart): boolean => sourcePartOf(name) !== undefined;
    for (const part of this.#source.parts.filter(isRelationships)) plans.set(part, await this.#plan(part));
    for (const part of this.#source.parts) await this.#write(part, plans.get(part) ?? (await this.#plan(part)));
    return this.#counts;
  }

  async #plan(part: PackagePart): Promise<Plan> {
    try {
      return await this.#inspect(part);
    } catch (error) {
      if (!(error instanceof UnreadablePart) || (NEEDED.test(part.name) && !NOT_NEEDED.test(part.name))) throw error;
      return { action: 'empty' };
    }
  }

  async #inspect(part: PackagePart): Promise<Plan> {
    if (part.entry.packedBytes === 0) return { action: 'copy' };
    const head = await this.#source.head(part);
    if (isNestedDocument(head)) return { action: 'nested' };
    if (isGzippedXml(head)) return { action: 'empty' }; // a drawing that may refer to anything, in a form that is rare
    if (!looksLikeXml(head)) return { action: 'copy' };
    const encoding = findXmlEncoding(head);
    if (encoding === undefined) throw new UnreadablePart(`${part.name}: unknown encoding`);
    const hyperlinks = this.#hyperlinksOf(part);
    const content = await this.#opened(part);
    const isPlain = encoding.isUtf8 && hyperlinks.size === 0 && sourcePartOf(part.name) === undefined;
    if (isPlain && !(await hasHints(content()))) return { action: 'copy' };
    const inspection = new XmlInspection({ name: part.name, encoding, hyperlinks });
    for await (const text of decodeXml(content(), encoding)) inspection.write(text);
    const edits = inspection.close();
    return edits.length === 0 ? { action: 'copy' } : { action: 'edit', encoding, edits };
  }

  async #opened(part: PackagePart): Promise<() => AsyncIterable<Buffer>> {
    if (part.entry.unpackedBytes > KEPT_BYTES) return () => this.#source.content(part);
    const content = await buffer(this.#source.content(part));
    return () => once(content);
  }

  /** For relationships: the set to fill. */
  #hyperlinksOf({ name }: PackagePart): Set<string> {
    const key = (sourcePartOf(name) ?? name).toLowerCase();
    const found = this.#hyperlinks.get(key) ?? new Set<string>();
    if (sourcePartOf(name) !== undefined) this.#hyperlinks.set(key, found);
    return found;
  }

  async #write(part: PackagePart, plan: Plan): Promise<void> {
    const { nameBytes: name, flags } = part.entry;
    if (plan.action === 'copy') await this.#writer.addPacked(part.entry, this.#source.packed(part));
    else if (plan.action === 'nested') await this.#writeNested(part);
    else if (plan.action === 'empty') await this.#writeEmpty(part);
    else {
      await this.#writer.addContent(name, flags, encoded(applyEdits(decodeXml(this.#source.content(part), plan.encoding), plan.edits)));
      this.#count(countKinds(plan.edits.flatMap(({ kind }) => kind ?? [])));
    }
  }

  async #writeNested(part: PackagePart): Promise<void> {
    const [inner, stripped] = [`${this.#scratchPath}.inner`, `${this.#scratchPath}.stripped`];
    try {
      await writeFile(inner, this.#source.content(part));
      this.#count(await this.#strip(inner, stripped));
      await this.#writer.addContent(part.entry.nameBytes, part.entry.flags, createReadStream(stripped));
    } catch (error) {
      if (!(error instanceof UnreadablePart)) throw error;
      await this.#writeEmpty(part);
    } finally {
      await Promise.all([rm(inner, { force: true }), rm(stripped, { force: true })]);
    }
  }

  async #writeEmpty({ entry }: PackagePart): Promise<void> {
    await this.#writer.addEmpty(entry.nameBytes, entry.flags);
    this.#count({ part: 1 });
  }

  #count(more: ReferenceCounts): void {
    this.#counts = addCounts(this.#counts, more);
  }
}

async function* once(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

const hasHints = async (content: AsyncIterable<Buffer>): Promise<boolean> => {
  const hints = new XmlHints();
  for await (const chunk of content) if (hints.isIn(chunk)) return true;
  return false;
};

async function* encoded(text: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const piece of text) yield Buffer.from(piece);
}

const RTF = /^\s*\{\\rtf/;
const MAX_HEAD_BYTES = 4_096;

export const isZipArchive = (head: Buffer): boolean => head.length >= 4 && head.readUInt32LE(0) === 0x04034b50;
export const isRtf = (head: Buffer): boolean => RTF.test(head.toString('latin1', 0, 64));

/** Whether a part is a document itself, such as the sheet behind a chart. */
const isNestedDocument = (head: Buffer): boolean => isZipArchive(head) || isRtf(head);

/** Whether a part is gzip with XML in it: a compressed SVG drawing. `head` is its beginning. */
const isGzippedXml = (head: Buffer): boolean => {
  if (head[0] !== 0x1f || head[1] !== 0x8b) return false;
  try {
    // The beginning alone has no end to flush.
    return looksLikeXml(gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_HEAD_BYTES }));
  } catch {
    return true; // what it is cannot be told
  }
};

interface OpenElement {
  readonly element: XmlElement;
  readonly start: number;
  readonly contentStart: number;
  readonly removal: ElementChange | undefined;
  text: string;
}

interface PartContext {
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

const HYPERLINK = /\/hyperlink$/i;
const RELATIONSHIPS = new Set([
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
  'http://purl.oclc.org/ooxml/officeDocument/relationships',
]);
const LINK_ELEMENTS = new Set(['hyperlink', 'hlinkClick', 'hlinkHover', 'hlinkMouseOver']);

/** The part that the relationships in `name` belong to; empty for those of the package itself. Undefined: it holds none. */
const sourcePartOf = (name: string): string | undefined => {
  const match = /^(.*\/|)_rels\/([^/]*)\.rels$/i.exec(name);
  return match === null ? undefined : `${match[1]}${match[2]}`;
};

/** Relationships with what lies outside of the package go; hyperlinks stay, and their ids are added to `hyperlinks`. */
const checkRelationship = (element: XmlElement, sourcePart: string, hyperlinks: Set<string>): readonly ElementChange[] => {
  if (element.local !== 'Relationship') return [];
  const target = attributeOf(element, 'Target') ?? '';
  const isExternal = (attributeOf(element, 'TargetMode') ?? '').trim().toLowerCase() === 'external';
  if (HYPERLINK.test(attributeOf(element, 'Type') ?? '')) {
    if (isExternal || isOutside(target)) hyperlinks.add(attributeOf(element, 'Id') ?? '');
    return [];
  }
  return isExternal || leavesPackage(sourcePart, target) ? [{ kind: 'relationship' }] : [];
};

/** The id of a hyperlink where a picture or a part is meant would load its target: nothing looks at the type of a relationship. */
const checkRelationshipIds = (element: XmlElement, hyperlinks: ReadonlySet<string>): readonly ElementChange[] => {
  if (hyperlinks.size === 0 || LINK_ELEMENTS.has(element.local)) return [];
  return element.attributes
    .filter(({ uri, local, value }) => (RELATIONSHIPS.has(uri) || local === 'relid') && hyperlinks.has(value))
    .map(({ name }) => ({ kind: 'relationship', attribute: name, value: undefined }));
};
