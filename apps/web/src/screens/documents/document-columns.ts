import type { Format, MessageKey, Translator } from '@sheaf/messages';
import { kindName } from '../../language/names.ts';
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

interface ColumnLook {
  readonly title: MessageKey;
  readonly widthPx: number;
  /** Those with a higher one are left out first where there is little room. */
  readonly rank: number;
  /** Orders that its heading gives in turn. */
  readonly sorts?: readonly [SortName, SortName];
  readonly isNumber?: boolean;
  /** What it tells as plain text; empty where there is nothing. Labels and states are no text. */
  readonly text?: (document: ListedDocument, reader: Reader) => string;
}

/** What a line of the list may tell beside the title, in the order from left to right. */
const LOOKS = {
  filename: {
    title: 'document.filename',
    widthPx: 180,
    rank: 14,
    sorts: ['byFilename', 'byFilenameBack'],
    text: ({ filename }) => plainDirection(filename),
  },
  correspondent: {
    title: 'filing.one.correspondent',
    widthPx: 170,
    rank: 5,
    sorts: ['byCorrespondent', 'byCorrespondentBack'],
    text: ({ correspondent }) => correspondent?.name ?? '',
  },
  document_type: {
    title: 'filing.one.document_type',
    widthPx: 130,
    rank: 6,
    sorts: ['byDocumentType', 'byDocumentTypeBack'],
    text: ({ document_type: type }) => type?.name ?? '',
  },
  labels: { title: 'documents.labels', widthPx: 240, rank: 7 },
  document_date: {
    title: 'document.documentDate',
    widthPx: 120,
    rank: 3,
    sorts: ['byDocumentDate', 'byDocumentDateBack'],
    text: ({ document_date: day }, { format }) => (day === null ? '' : format.day(day)),
  },
  archive_number: {
    title: 'document.archiveNumber',
    widthPx: 120,
    rank: 8,
    sorts: ['byArchiveNumber', 'byArchiveNumberBack'],
    isNumber: true,
    text: ({ archive_number: number }) => (number === null ? '' : String(number)),
  },
  kind: { title: 'document.kind', widthPx: 90, rank: 9, sorts: ['byKind', 'byKindBack'], text: ({ mime_type: type }) => kindName(type) },
  pages: {
    title: 'document.pages',
    widthPx: 70,
    rank: 10,
    isNumber: true,
    text: ({ page_count: count }, { format }) => (count === null ? '' : format.number(count)),
  },
  size: {
    title: 'document.size',
    widthPx: 90,
    rank: 4,
    sorts: ['largest', 'smallest'],
    isNumber: true,
    text: ({ size }, { format }) => format.bytes(size),
  },
  source: {
    title: 'documents.source',
    widthPx: 140,
    rank: 12,
    text: ({ source_id: id, source }, { t, names }) => (id === null ? undefined : names.source(id)) ?? t(`routes.${source}`),
  },
  owner: { title: 'documents.owner', widthPx: 130, rank: 11, text: ({ owner_id: id }, { names }) => names.owner(id) ?? '' },
  confidence: {
    title: 'document.confidence',
    widthPx: 130,
    rank: 13,
    sorts: ['worst', 'best'],
    isNumber: true,
    text: ({ ocr_confidence: confidence }, { format }) => (confidence === null ? '' : format.percent(confidence)),
  },
  added: {
    title: 'document.created',
    widthPx: 120,
    rank: 2,
    sorts: ['newest', 'oldest'],
    text: ({ created_at: time }, { format }) => format.date(time),
  },
  status: { title: 'documents.status', widthPx: 150, rank: 1, sorts: ['byStatus', 'byStatusBack'] },
} as const satisfies Readonly<Record<string, ColumnLook>>;
export type Column = keyof typeof LOOKS;
export const COLUMN_LOOKS: Readonly<Record<Column, ColumnLook>> = LOOKS;

const isColumn = (name: string): name is Column => Object.hasOwn(LOOKS, name);
export const COLUMNS: readonly Column[] = Object.keys(LOOKS).filter(isColumn);
/** Which are left out last where there is little room come first. */
const BY_IMPORTANCE = COLUMNS.toSorted((a, b) => LOOKS[a].rank - LOOKS[b].rank);

export const DEFAULT_COLUMNS: readonly Column[] = ['labels', 'document_date', 'added', 'status'];

/** What a column tells of a document as plain text; empty where there is nothing, and for labels and states, which are no text. */
export const columnText = (column: Column, document: ListedDocument, reader: Reader): string =>
  COLUMN_LOOKS[column].text?.(document, reader) ?? '';

/** The columns of a text that was kept; those of everybody where there is none, and none that no longer exist. */
export const columnsOf = (kept: string | null): readonly Column[] =>
  kept === null ? DEFAULT_COLUMNS : COLUMNS.filter((column) => kept.split(',').includes(column));

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
