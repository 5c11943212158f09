import { isOutside, isReaderLink } from './outside-reference.ts';
import { type ElementChange, isOpenDocument, isWord, type XmlAttribute, type XmlElement } from './xml-element.ts';

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
