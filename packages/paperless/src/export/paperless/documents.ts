import type { Db } from '@sheaf/db';
import { asc, gt } from '@sheaf/db/drizzle';
import { type Document, documents } from '@sheaf/db/schema';
import type { Note } from '@sheaf/documents';
import { findMatching } from '@sheaf/search';
import type { Principal } from '@sheaf/vocabulary/permissions';
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
import type { ExportedFields, Filing } from './filing.ts';

const BATCH = 5_000;
const ID_BYTES = 16;

/** Who may read everything: the one who runs a command on the machine of the service. */
const EVERYTHING: Principal = {
  userId: '00000000-0000-0000-0000-000000000000',
  username: '',
  role: 'admin',
  permissions: ['*'],
  via: 'disabled-auth',
};

const toBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

const toId = (bytes: Buffer): string => {
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

/** Ids in their order, in 16 bytes each, and their places, which are the numbers of the documents in an export. */
export class ChosenDocuments {
  #bytes = Buffer.alloc(BATCH * ID_BYTES);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** `id` has to come behind all that are there. */
  add(id: string): void {
    const at = this.#count * ID_BYTES;
    if (at + ID_BYTES > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)]);
    toBytes(id).copy(this.#bytes, at);
    this.#count += 1;
  }

  /** From 1 on; undefined for a document that was not chosen. */
  numberOf(id: string): number | undefined {
    const wanted = toBytes(id);
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.#at(middle).compare(wanted);
      if (order === 0) return middle + 1;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }

  /** In parts of `size`. */
  *parts(size: number): Generator<readonly string[]> {
    for (let from = 0; from < this.#count; from += size)
      yield Array.from({ length: Math.min(size, this.#count - from) }, (_, index) => toId(this.#at(from + index)));
  }

  #at(index: number): Buffer {
    return this.#bytes.subarray(index * ID_BYTES, (index + 1) * ID_BYTES);
  }
}

const listAfter = async (db: Db, after: string | undefined): Promise<string[]> => {
  const rows = await db
    .select({ id: documents.id })
    .from(documents)
    .where(after === undefined ? undefined : gt(documents.id, after))
    .orderBy(asc(documents.id))
    .limit(BATCH);
  return rows.map(({ id }) => id);
};

/** The documents of the whole library, or those that a query finds for an administrator. */
export const chooseDocuments = async (db: Db, query: string | undefined): Promise<ChosenDocuments> => {
  const chosen = new ChosenDocuments();
  for (let after: string | undefined; ; ) {
    const ids =
      query === undefined ? await listAfter(db, after) : await findMatching(db, EVERYTHING, { query, filters: {}, after, limit: BATCH });
    for (const id of ids) chosen.add(id);
    after = ids.at(-1);
    if (ids.length < BATCH) return chosen;
  }
};

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
