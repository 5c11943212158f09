import type { Format, Translator } from '@sheaf/messages';
import { kindName } from '../../language/kind-name.ts';
import type { Column } from './document-columns.ts';
import type { ListedDocument } from './document-window.ts';

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
