/** Attributes that name what is loaded, whatever the namespace: offices are generous about namespaces. */
const LINKS = new Set(['href', 'src', 'image-data', 'archive', 'datasource', 'database-name']);
/** Elements whose link is followed by a reader only. */
const READER_LINKS = new Set(['a', 'event-listener', 'area-rectangle', 'area-circle', 'area-polygon']);
const VML = 'urn:schemas-microsoft-com:vml';
const VML_PICTURES = new Set(['imagedata', 'fill', 'stroke']);
const CHART = /^urn:oasis:names:tc:opendocument:xmlns:chart:/;

/** Links (`xlink:href`, `src` and their like) that lead outside. */
export const checkLinks = (element: XmlElement): readonly ElementChange[] =>
  element.attributes
    .filter((attribute) => LINKS.has(attribute.local) && isLoadedFromOutside(element, attribute))
    .map(({ name }) => ({ kind: 'link', attribute: name, value: undefined }));

const isLoadedFromOutside = (element: XmlElement, { local, uri, value }: XmlAttribute): boolean => {
  if (READER_LINKS.has(element.local)) return !isReaderLink(value);
  // a shape that is a hyperlink
  if (element.uri === VML && local === 'href' && uri === '' && !VML_PICTURES.has(element.local)) return false;
  // the document around a chart, where its data is
  if (element.local === 'chart' && CHART.test(element.uri) && value === '..') return false;
  return isOutside(value);
};

const WORD_SOURCES = new Set(['attachedTemplate', 'subDoc', 'mailMerge']);
const SHEET_SOURCES = new Set(['webPr', 'textPr', 'dbPr', 'olapPr', 'ddeLink', 'oleLink']);
const OPEN_DOCUMENT_SOURCES = new Set([
  'section-source',
  'dde-source',
  'dde-connection-decl',
  'dde-link',
  'table-source',
  'cell-range-source',
  'database-source-sql',
  'database-source-query',
  'database-source-table',
  'source-service',
]);
const SHEET = /^http:\/\/(?:schemas\.openxmlformats|purl\.oclc)\.org\/.*spreadsheetml\//;

/** Elements that are nothing but the place where content was taken from; the content stands beside them. */
export const checkSources = (element: XmlElement): readonly ElementChange[] => {
  const isSource =
    (WORD_SOURCES.has(element.local) && isWord(element.uri)) ||
    (SHEET_SOURCES.has(element.local) && SHEET.test(element.uri)) ||
    (OPEN_DOCUMENT_SOURCES.has(element.local) && isOpenDocument(element.uri));
  return isSource ? [{ kind: 'link' }] : [];
};

/** Office programs drop blanks and control characters around a reference; they must not hide what it is. */
const BLANKS = /[\p{Cc}\p{White_Space}]+/gu;
const IN_PACKAGE = 'vnd.sun.star.package:';

/**
 * Whether a reference (an IRI or a path) leads out of the document: it has a scheme, an absolute path or a `..`. Fragments
 * (`#name`) and `data:` stay inside.
 */
export const isOutside = (reference: string): boolean => {
  const plain = decodeDots(reference.replaceAll(BLANKS, '')).toLowerCase();
  const path = plain.startsWith(IN_PACKAGE) ? plain.slice(IN_PACKAGE.length) : plain;
  if (path === '' || path.startsWith('#') || path.startsWith('data:')) return false;
  return path.startsWith('/') || hasScheme(path) || path.split('/').includes('..');
};

/** Whether a path inside of a package, seen from the folder of `part`, leads out of the package. */
export const leavesPackage = (part: string, target: string): boolean => {
  const path = decodeDots(target.replaceAll(BLANKS, ''));
  if (path.startsWith('//') || hasScheme(path)) return true;
  let depth = path.startsWith('/') ? 0 : part.split('/').length - 1;
  for (const segment of path.split('/')) {
    if (segment === '..') depth -= 1;
    else if (segment !== '' && segment !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
};

/** Whether a reference that only a reader follows leads to a web page or a mailbox, or stays in the document. */
const isReaderLink = (reference: string): boolean => {
  const plain = reference.replaceAll(BLANKS, '').toLowerCase();
  return /^(?:https?|mailto):/.test(plain) || !isOutside(reference);
};

const decodeDots = (path: string): string => path.replaceAll(/%2e/gi, '.').replaceAll(/%2f|%5c|\\/gi, '/');

const hasScheme = (path: string): boolean => {
  const end = path.search(/[/?#]/);
  return (end < 0 ? path : path.slice(0, end)).includes(':');
};

interface XmlAttribute {
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

/** Replaces the characters from `start` up to `end` (UTF-16 code units of the decoded text). */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Undefined: the edit removes no reference. */
  readonly kind: ReferenceKind | undefined;
}

/** In their order; one that lies within another is dropped, because what it would change is gone. */
export const sortEdits = (edits: readonly TextEdit[]): readonly TextEdit[] => {
  const sorted = edits.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const kept: TextEdit[] = [];
  for (const edit of sorted) if (edit.start >= (kept.at(-1)?.end ?? 0)) kept.push(edit);
  return kept;
};

/** The text with all `edits`, which are sorted, applied. */
export async function* applyEdits(chunks: AsyncIterable<string>, edits: readonly TextEdit[]): AsyncGenerator<string> {
  let [position, next] = [0, 0];
  for await (const chunk of chunks) {
    const end = position + chunk.length;
    let [at, changed] = [position, ''];
    for (let edit = edits[next]; edit !== undefined && edit.start < end; edit = edits[next]) {
      if (edit.start >= position) changed += chunk.slice(at - position, edit.start - position) + edit.text;
      at = Math.min(edit.end, end);
      if (edit.end > end) break; // goes on in the next chunk
      next += 1;
    }
    yield changed + chunk.slice(at - position);
    position = end;
  }
}

/** What is removed from an office file, as the log counts it. */
const REFERENCE_KINDS = ['relationship', 'link', 'field', 'formula', 'part'] as const;
export type ReferenceKind = (typeof REFERENCE_KINDS)[number];

export type ReferenceCounts = Partial<Record<ReferenceKind, number>>;

export const countKinds = (kinds: Iterable<ReferenceKind>): ReferenceCounts => {
  const counts: ReferenceCounts = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};

export const addCounts = (counts: ReferenceCounts, more: ReferenceCounts): ReferenceCounts => {
  const sum: ReferenceCounts = { ...counts };
  for (const kind of REFERENCE_KINDS) {
    const total = (counts[kind] ?? 0) + (more[kind] ?? 0);
    if (total > 0) sum[kind] = total;
  }
  return sum;
};

const FORMULAS = new Set(['formula', 'condition', 'expression', 'value']);
const XFORMS = /\/xforms$/;
const XFORMS_LOADS = new Set(['schema', 'resource']);
/** A sheet of another file, kept for formulas. */
const OTHER_FILE = /^'(?:[a-z][a-z0-9+.-]*:|\/)/i;
/** Properties of form controls may have any name that LibreOffice has for them. */
const CONTROL_PICTURE = /url|image|graphic/i;

/** What OpenDocument has beside links: formulas, forms, sheets of other files. */
export const checkOpenDocument = (element: XmlElement): readonly ElementChange[] => {
  if (XFORMS.test(element.uri))
    return element.attributes
      .filter(({ local, value }) => XFORMS_LOADS.has(local) && value !== '')
      .map(({ name }) => ({ kind: 'link', attribute: name, value: undefined }));
  if (!isOpenDocument(element.uri)) return [];
  if (isSheetOfOtherFile(element) || isControlPicture(element)) return [{ kind: 'link' }];
  const formulas = element.attributes.filter(
    ({ local, uri, value }) => FORMULAS.has(local) && isOpenDocument(uri) && isFormula(local, value) && isLoadingFormula(value),
  );
  if (element.local === 'named-expression' && formulas.length > 0) return [{ kind: 'formula' }];
  return formulas.map(({ name }) => ({ kind: 'formula', attribute: name, value: undefined }));
};

/** `value` is that of a cell as well, which may be any text. */
const isFormula = (local: string, value: string): boolean => local !== 'value' || value.includes('(');

const isSheetOfOtherFile = (element: XmlElement): boolean =>
  element.local === 'table' && OTHER_FILE.test(attributeOf(element, 'name') ?? '');

const isControlPicture = (element: XmlElement): boolean =>
  element.local === 'property' &&
  CONTROL_PICTURE.test(attributeOf(element, 'property-name') ?? '') &&
  isOutside(attributeOf(element, 'string-value') ?? '');

/** A setting that names a file, such as the palette of a drawing. */
export const isOutsideSetting = (element: XmlElement, text: string): boolean =>
  element.local === 'config-item' && /url$/i.test(attributeOf(element, 'name') ?? '') && isOutside(text);

/**
 * WEBSERVICE and DDE load, INDIRECT may name any file, `'file:///a'#$Sheet.A1` and `[1]Sheet!A1` are cells of other files. The
 * cell keeps the value that was computed last.
 */
const LOADING = /webservice|\bdde\b|indirect|\[\d+\][^<>]{0,80}!|:\/\/|['\]]\s*#|#\s*\$/i;
const MAX_CHARS = 65_536;

/** Whether a formula of a sheet reaches outside of the document; one longer than any program writes counts as such. */
export const isLoadingFormula = (formula: string): boolean => formula.length > MAX_CHARS || LOADING.test(formula);
