import type { Format, MessageKey, Translator } from '@sheaf/messages';
import { kindName } from '../../language/kind-name.ts';
import type { ListedDocument } from './document-window.ts';
import type { SortName } from './list-state.ts';

/** Names of what a document has only the ids of; undefined where they are not known. */
export interface ColumnNames {
  readonly owner: (id: string) => string | undefined;
  readonly source: (id: string) => string | undefined;
}

/** A name may have signs that turn the direction of what follows, so that it looks as if it had another extension. */
const plainDirection = (text: string): string => text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '');

/** Whether the title says what the name of the file does. */
export const isTitled = ({ title, filename }: Pick<ListedDocument, 'title' | 'filename'>): boolean =>
  filename === title || filename.replace(/\.[^.]*$/, '') === title;

interface Reader {
  readonly t: Translator['t'];
  readonly format: Format;
  readonly names: ColumnNames;
}

/** What a column tells of a document as plain text; empty where there is nothing, and for labels and states, which are no text. */
export const columnText = (column: Column, document: ListedDocument, { t, format, names }: Reader): string => {
  switch (column) {
    case 'filename':
      return plainDirection(document.filename);
    case 'correspondent':
      return document.correspondent?.name ?? '';
    case 'document_type':
      return document.document_type?.name ?? '';
    case 'document_date':
      return document.document_date === null ? '' : format.day(document.document_date);
    case 'archive_number':
      return document.archive_number === null ? '' : String(document.archive_number);
    case 'kind':
      return kindName(document.mime_type);
    case 'pages':
      return document.page_count === null ? '' : format.number(document.page_count);
    case 'size':
      return format.bytes(document.size);
    case 'source':
      return (document.source_id === null ? undefined : names.source(document.source_id)) ?? t(`routes.${document.source}`);
    case 'owner':
      return names.owner(document.owner_id) ?? '';
    case 'confidence':
      return document.ocr_confidence === null ? '' : format.percent(document.ocr_confidence);
    case 'added':
      return format.date(document.created_at);
    default:
      return '';
  }
};

/** What a line of the list may tell beside the title, in the order from left to right. */
export const COLUMNS = [
  'filename',
  'correspondent',
  'document_type',
  'labels',
  'document_date',
  'archive_number',
  'kind',
  'pages',
  'size',
  'source',
  'owner',
  'confidence',
  'added',
  'status',
] as const;
export type Column = (typeof COLUMNS)[number];

export const DEFAULT_COLUMNS: readonly Column[] = ['labels', 'document_date', 'added', 'status'];

/** The columns of a text that was kept; those of everybody where there is none, and none that no longer exist. */
export const columnsOf = (kept: string | null): readonly Column[] =>
  kept === null ? DEFAULT_COLUMNS : COLUMNS.filter((column) => kept.split(',').includes(column));

interface ColumnLook {
  readonly title: MessageKey;
  readonly widthPx: number;
  /** Orders that its heading gives in turn. */
  readonly sorts?: readonly [SortName, SortName];
  readonly isNumber?: boolean;
}

export const COLUMN_LOOKS: Readonly<Record<Column, ColumnLook>> = {
  filename: { title: 'document.filename', widthPx: 180, sorts: ['byFilename', 'byFilenameBack'] },
  correspondent: { title: 'filing.one.correspondent', widthPx: 170, sorts: ['byCorrespondent', 'byCorrespondentBack'] },
  document_type: { title: 'filing.one.document_type', widthPx: 130, sorts: ['byDocumentType', 'byDocumentTypeBack'] },
  labels: { title: 'documents.labels', widthPx: 240 },
  document_date: { title: 'document.documentDate', widthPx: 120, sorts: ['byDocumentDate', 'byDocumentDateBack'] },
  archive_number: {
    title: 'document.archiveNumber',
    widthPx: 120,
    sorts: ['byArchiveNumber', 'byArchiveNumberBack'],
    isNumber: true,
  },
  kind: { title: 'document.kind', widthPx: 90, sorts: ['byKind', 'byKindBack'] },
  pages: { title: 'document.pages', widthPx: 70, isNumber: true },
  size: { title: 'document.size', widthPx: 90, sorts: ['largest', 'smallest'], isNumber: true },
  source: { title: 'documents.source', widthPx: 140 },
  owner: { title: 'documents.owner', widthPx: 130 },
  confidence: { title: 'document.confidence', widthPx: 130, sorts: ['worst', 'best'], isNumber: true },
  added: { title: 'document.created', widthPx: 120, sorts: ['newest', 'oldest'] },
  status: { title: 'documents.status', widthPx: 150, sorts: ['byStatus', 'byStatusBack'] },
};

/** Which are left out last where there is little room. */
const BY_IMPORTANCE: readonly Column[] = [
  'status',
  'added',
  'document_date',
  'size',
  'correspondent',
  'document_type',
  'labels',
  'archive_number',
  'kind',
  'pages',
  'owner',
  'source',
  'confidence',
  'filename',
];

const CHECK_PX = 44;
const PICTURE_PX = 46;
const PADDING_PX = 24;
const LEAST_TITLE_PX = 200;
const GAP_PX = 12;

export interface ColumnPlaces {
  readonly columns: readonly Column[];
  /** Those for which there is no room: they are told below the title. */
  readonly details: readonly Column[];
  /** For `grid-template-columns`. */
  readonly template: string;
}

/** Which of the chosen columns stand beside the title in a list of that width. */
export const placeColumns = (chosen: readonly Column[], widthPx: number, hasPicture: boolean): ColumnPlaces => {
  let roomPx = widthPx - PADDING_PX - CHECK_PX - (hasPicture ? PICTURE_PX : 0) - LEAST_TITLE_PX;
  const fitting = new Set<Column>();
  for (const column of BY_IMPORTANCE) {
    if (!chosen.includes(column)) continue;
    roomPx -= COLUMN_LOOKS[column].widthPx + GAP_PX;
    if (roomPx < 0) break; // none is left out for a narrower one of less importance
    fitting.add(column);
  }
  const columns = COLUMNS.filter((column) => fitting.has(column));
  return {
    columns,
    details: COLUMNS.filter((column) => chosen.includes(column) && !fitting.has(column)),
    template: [`${CHECK_PX - GAP_PX}px`, 'minmax(0, 1fr)', ...columns.map((column) => `${COLUMN_LOOKS[column].widthPx}px`), 'auto'].join(
      ' ',
    ),
  };
};
