import type { Document } from '@sheaf/db/schema';
import type { Note } from '@sheaf/documents';
import { dayOf } from '../../document-parts.ts';
import type { FileChecksums } from '../files/target.ts';
import {
  type ManifestRecord,
  NAME_CHARACTERS,
  type PaperlessFormat,
  type RowNumbers,
  sheafExtra,
  shortened,
  toTime,
} from './content-types.ts';
import type { ExportedFields } from './custom-fields.ts';
import type { Filing } from './filing.ts';

const FILENAME_CHARACTERS = 1_024;

/** What the rows of a document refer to. */
export interface References {
  readonly format: PaperlessFormat;
  readonly users: RowNumbers;
  readonly filing: Filing;
  readonly fields: ExportedFields;
  /** The numbers of the documents of the export. */
  readonly numberOf: (documentId: string) => number | undefined;
}

export interface ExportedDocument {
  readonly document: Document;
  readonly pk: number;
  readonly labelIds: readonly string[];
  readonly content: string;
  readonly file: { readonly name: string; readonly checksums: FileChecksums; readonly extension: string };
  /** The PDF with its text, if it has one. */
  readonly archive: { readonly name: string; readonly checksums: FileChecksums } | undefined;
}

const NOT_DELETED = { deleted_at: null, restored_at: null, transaction_id: null };

const byFormat = (format: PaperlessFormat): Readonly<Record<string, unknown>> =>
  format === 2 ? { storage_type: 'unencrypted' } : { root_document: null, version_index: null, version_label: null };

/** The record of a document whose file is written. */
export const documentRecord = (
  { document, pk, labelIds, content, file, archive }: ExportedDocument,
  { format, users, filing }: References,
): ManifestRecord => {
  const checksumOf = ({ md5, sha256 }: FileChecksums): string => (format === 2 ? md5 : sha256);
  const number = String(pk).padStart(7, '0');
  const title = shortened(document.title, NAME_CHARACTERS);
  return {
    model: 'documents.document',
    pk,
    fields: {
      ...NOT_DELETED,
      owner: users.of(document.ownerId),
      correspondent: filing.correspondents.numbers.of(document.correspondentId),
      storage_path: null,
      title,
      document_type: filing.documentTypes.numbers.of(document.documentTypeId),
      content,
      mime_type: document.mimeType,
      checksum: checksumOf(file.checksums),
      archive_checksum: archive === undefined ? null : checksumOf(archive.checksums),
      page_count: document.pageCount === 0 ? null : document.pageCount,
      created: dayOf(document),
      modified: toTime(document.updatedAt),
      added: toTime(document.createdAt),
      filename: `${number}${file.extension === '' ? '' : `.${file.extension}`}`,
      archive_filename: archive === undefined ? null : `${number}.pdf`,
      original_filename: shortened(document.filename, FILENAME_CHARACTERS),
      archive_serial_number: document.archiveNumber,
      ...byFormat(format),
      tags: labelIds.flatMap((id) => filing.labels.numbers.of(id) ?? []),
    },
    __exported_file_name__: file.name,
    ...(archive === undefined ? {} : { __exported_archive_name__: archive.name }),
    ...sheafExtra({
      id: document.id,
      sha256: document.sha256,
      title: title === document.title ? undefined : document.title,
      document_date: document.documentDate,
      language: document.language ?? undefined,
      source: document.source,
      metadata: Object.keys(document.metadata).length === 0 ? undefined : document.metadata,
      confirmed_fields: document.confirmedFields.length === 0 ? undefined : document.confirmedFields,
    }),
  };
};

export const noteFields = (note: Note, document: number, users: RowNumbers): Readonly<Record<string, unknown>> => ({
  ...NOT_DELETED,
  note: note.text,
  created: toTime(note.createdAt),
  document,
  user: users.of(note.author?.id ?? null),
});
