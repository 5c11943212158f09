import { stripBoth, stripEnd } from '@sheaf/contract';
import { ledgerReason } from '@sheaf/contract/imports';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import { refusalOfParts } from '../listing-budget.ts';
import { SourceError } from '../source-driver.ts';

/** Where an href of a listing points. */
export type Place =
  /** A path below the root; '' is the root itself. */
  | { readonly kind: 'inside'; readonly path: string; readonly hasSlash: boolean }
  | { readonly kind: 'refused'; readonly reason: LedgerReason };

const OUTSIDE = ledgerReason('outside_source');
const ANOTHER_SERVER = ledgerReason('another_server');

const refused = (reason: LedgerReason): Place => ({ kind: 'refused', reason });

/** Decoded parts of an encoded path; undefined when it is not properly encoded. */
const decodeParts = (path: string): string[] | undefined => {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return undefined; // a lone % or bytes that are no UTF-8
  }
};

/** Parts of the path of a URL that was parsed, without empty ones. */
export const partsOfUrl = (url: URL): readonly string[] => (decodeParts(url.pathname) ?? []).filter((part) => part !== '');

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** The encoded path of an href, taken as text: parsing it as a URL would resolve `..` instead of showing it. */
const pathOf = (href: string, root: URL): string | Place => {
  if (!SCHEME.test(href)) {
    if (href.startsWith('//')) return refused(ANOTHER_SERVER);
    return href.startsWith('/') ? href : refused(ledgerReason('address_not_absolute'));
  }
  const web = /^https?:\/\/[^/?#]*([/?#].*)?$/i.exec(href);
  if (web === null || !URL.canParse(href)) return refused(ledgerReason('address_not_web'));
  return new URL(href).origin === root.origin ? (web[1] ?? '') : refused(ANOTHER_SERVER);
};

/** Servers may give the names of the root in another normal form than the user typed. */
const isSameName = (a: string, b: string | undefined): boolean => b !== undefined && (a === b || a.normalize('NFC') === b.normalize('NFC'));

/** Says where hrefs point that are found below `root`. */
export const makeHrefReader = (root: URL): ((href: string) => Place) => {
  const rootParts = partsOfUrl(root);
  return (href) => {
    const path = pathOf(href, root);
    if (typeof path !== 'string') return path;
    if (/[?#]/.test(path)) return refused(ledgerReason('badly_encoded'));
    const decoded = decodeParts(stripBoth(path, '/'));
    if (decoded === undefined) return refused(ledgerReason('badly_encoded'));
    const parts = decoded.length === 1 && decoded[0] === '' ? [] : decoded;
    const reason = refusalOfParts(parts);
    if (reason !== undefined) return refused(reason);
    if (!rootParts.every((part, index) => isSameName(part, parts[index]))) return refused(OUTSIDE);
    return { kind: 'inside', path: parts.slice(rootParts.length).join('/'), hasSlash: path.endsWith('/') };
  };
};

/** The address of a path below `root`. Folders end with a slash: servers redirect those that do not. */
export const urlBelow = (root: URL, path: string, kind: 'file' | 'folder'): string => {
  const base = `${root.origin}${stripEnd(root.pathname, '/')}/`;
  const below = path.split('/').map(encodeURIComponent).join('/');
  return kind === 'file' || path === '' ? base + below : `${base}${below}/`;
};

/** One `response` of a multistatus answer, with the properties that the server did give. */
export interface MultistatusEntry {
  readonly href: string;
  /** Of the entry as a whole, where it is told: such an entry has no properties. */
  readonly status: number | undefined;
  /** Undefined when the server does not tell. */
  readonly isCollection: boolean | undefined;
  readonly sizeBytes: number | undefined;
  readonly modifiedAt: Date | undefined;
  readonly etag: string | undefined;
}

const DAV = 'DAV:';
const MAX_XML_DEPTH = 32;
/** Without any tag in between. More than any name or property has. */
const MAX_TEXT_BYTES = 64 * 1024;
/** Of one entry. */
const MAX_ENTRY_BYTES = 1024 * 1024;
const MAX_ETAG_CHARACTERS = 512;

type Properties = Partial<Pick<MultistatusEntry, 'isCollection' | 'sizeBytes' | 'modifiedAt' | 'etag'>>;

const statusOf = (line: string): number | undefined => {
  const [, status] = /^HTTP\/\d(?:\.\d)?\s+(\d{3})\b/i.exec(line.trim()) ?? [];
  return status === undefined ? undefined : Number(status);
};

const isGood = (status: number | undefined): boolean => status === undefined || (status >= 200 && status < 300);

const READ_PROPERTY: Readonly<Record<string, (text: string) => Properties>> = {
  getcontentlength: (text) => (/^\d{1,15}$/.test(text) ? { sizeBytes: Number(text) } : {}),
  getlastmodified: (text) => {
    const modifiedAt = new Date(text);
    return Number.isNaN(modifiedAt.getTime()) ? {} : { modifiedAt };
  },
  getetag: (text) => (text === '' || text.length > MAX_ETAG_CHARACTERS ? {} : { etag: text }),
};

const garbage = (detail: string, cause?: unknown): SourceError =>
  new SourceError('protocol', `The listing of the server is invalid: ${detail}.`, cause === undefined ? {} : { cause });

/** Puts the entries of one answer together from the events of the XML parser. Throws SourceError protocol. */
class EntryBuilder {
  #finished: MultistatusEntry[] = [];
  readonly #open: string[] = [];
  #text = '';
  #href: string | undefined;
  #status: number | undefined;
  #properties: Properties = {};
  #statProperties: Properties = {};
  #statStatus: number | undefined;
  /** Tags and entries so far, for who watches the distance between them. */
  tags = 0;
  entries = 0;

  openTag({ uri, local }: SaxesTagNS): void {
    this.tags += 1;
    this.#text = '';
    if (this.#open.length >= MAX_XML_DEPTH) throw garbage('too many nested levels');
    const name = uri === DAV ? local : '?';
    if (this.#open.length === 0 && name !== 'multistatus') throw garbage('not a WebDAV response');
    this.#open.push(name);
    const place = this.#open.slice(1).join('/');
    if (place === 'response') this.#startEntry();
    else if (place === 'response/propstat') [this.#statProperties, this.#statStatus] = [{}, undefined];
    else if (place === 'response/propstat/prop/resourcetype') this.#statProperties = { isCollection: false, ...this.#statProperties };
    else if (place === 'response/propstat/prop/resourcetype/collection')
      this.#statProperties = { ...this.#statProperties, isCollection: true };
  }

  addText(text: string): void {
    this.#text += text;
  }

  closeTag(): void {
    this.tags += 1;
    const place = this.#open.slice(1);
    const text = this.#text.trim();
    this.#text = '';
    this.#open.pop();
    if (place[0] !== 'response') return;
    if (place.length === 1) this.#finishEntry();
    else if (place.length === 2) this.#closeInEntry(place[1] ?? '', text);
    else if (place[1] === 'propstat') this.#closeInStat(place.slice(2), text);
  }

  takeFinished(): MultistatusEntry[] {
    const finished = this.#finished;
    this.#finished = [];
    return finished;
  }

  #startEntry(): void {
    [this.#href, this.#status, this.#properties] = [undefined, undefined, {}];
  }

  #closeInEntry(name: string, text: string): void {
    if (name === 'href') this.#href ??= text;
    else if (name === 'status') this.#status = statusOf(text);
    else if (name === 'propstat' && isGood(this.#statStatus)) this.#properties = { ...this.#properties, ...this.#statProperties };
  }

  #closeInStat([first, property, ...deeper]: readonly string[], text: string): void {
    if (first === 'status' && property === undefined) this.#statStatus = statusOf(text);
    const read = first === 'prop' && deeper.length === 0 && property !== undefined ? READ_PROPERTY[property] : undefined;
    if (read !== undefined) this.#statProperties = { ...this.#statProperties, ...read(text) };
  }

  #finishEntry(): void {
    this.entries += 1;
    if (this.#href === undefined || this.#href === '') throw garbage('an entry has no href');
    const { isCollection, sizeBytes, modifiedAt, etag } = this.#properties;
    this.#finished.push({ href: this.#href, status: this.#status, isCollection, sizeBytes, modifiedAt, etag });
  }
}

/** Bytes since the last of something: what a parser would have to keep. */
class Distance {
  readonly #maxBytes: number;
  #bytes = 0;
  #seen = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  isExceeded(seen: number, chunkBytes: number): boolean {
    this.#bytes = seen === this.#seen ? this.#bytes + chunkBytes : 0;
    this.#seen = seen;
    return this.#bytes > this.#maxBytes;
  }
}

const makeParser = (builder: EntryBuilder): SaxesParser<{ xmlns: true }> => {
  const parser = new SaxesParser({ xmlns: true, position: false });
  parser.on('doctype', () => {
    throw garbage('entity declarations are not allowed');
  });
  parser.on('opentag', (tag: SaxesTagNS) => builder.openTag(tag));
  parser.on('attribute', ({ value }: SaxesAttributeNS | { value: string }) => {
    if (value.length > MAX_TEXT_BYTES) throw garbage('a text is too long');
  });
  parser.on('text', (text) => builder.addText(text));
  parser.on('cdata', (text) => builder.addText(text));
  parser.on('closetag', () => builder.closeTag());
  return parser;
};

const parseOr = (parse: () => void): void => {
  try {
    parse();
  } catch (error) {
    throw error instanceof SourceError ? error : garbage('not well-formed XML', error);
  }
};

/**
 * The entries of a multistatus answer, as they come: keeps one entry and one chunk. Errors of the body go through; everything
 * that is not a whole, well-formed answer is SourceError protocol.
 */
export const readMultistatus = async function* (body: AsyncIterable<Uint8Array>): AsyncIterable<readonly MultistatusEntry[]> {
  const builder = new EntryBuilder();
  const parser = makeParser(builder);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const [sinceTag, sinceEntry] = [new Distance(MAX_TEXT_BYTES * 2), new Distance(MAX_ENTRY_BYTES)];
  for await (const chunk of body) {
    parseOr(() => void parser.write(decoder.decode(chunk, { stream: true })));
    if (sinceTag.isExceeded(builder.tags, chunk.byteLength)) throw garbage('a text is too long');
    if (sinceEntry.isExceeded(builder.entries, chunk.byteLength)) throw garbage('too much data without entries');
    const finished = builder.takeFinished();
    if (finished.length > 0) yield finished;
  }
  parseOr(() => void parser.write(decoder.decode()).close());
};
