import { createReadStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { ZipWriter } from '@sheaf/sandbox/containers';
import { type PackagePart, PackageSource, type StripRun } from './package-source.ts';
import { isGzippedXml, isNestedDocument } from './part-content.ts';
import { addCounts, countKinds, type ReferenceCounts } from './reference-kinds.ts';
import { sourcePartOf } from './relationship-rules.ts';
import { applyEdits, type TextEdit } from './text-edits.ts';
import { UnreadablePart } from './unreadable-part.ts';
import { decodeXml, findXmlEncoding, looksLikeXml, type XmlEncoding } from './xml-encoding.ts';
import { XmlInspection } from './xml-inspection.ts';

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
