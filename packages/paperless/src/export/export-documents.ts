import { AppError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { documentKey, type Storage } from '@sheaf/storage';
import { extensionOf, findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import { type FindArchiveFile, writeArchiveFile } from './archive-file.ts';
import type { ChosenDocuments } from './chosen-documents.ts';
import { type DocumentPart, documentParts, isStillThere, readNotes, readText } from './document-parts.ts';
import type { FileNames } from './files/file-names.ts';
import { DamagedFileError, type FileChecksums, type FileSource } from './files/stored-source.ts';
import type { ExportTarget } from './files/target.ts';
import type { ManifestWriter } from './manifest-writer.ts';
import { valueFields } from './paperless/custom-fields.ts';
import { dayOf, documentRecord, type ExportedDocument, noteFields, type References } from './paperless/documents.ts';
import { toTime } from './paperless/records.ts';

/** What is not, or not wholly, in an export. */
export interface ExportProblem {
  readonly documentId: string;
  /**
   * `duplicate`: another document has the same file, and the format allows a file once. `text_shortened`: all but the end of its text is there.
   * `no_searchable`: its searchable PDF could not be made.
   */
  readonly reason: 'missing' | 'damaged' | 'duplicate' | 'text_shortened' | 'no_searchable';
}

export interface DocumentCounts {
  /** Documents of the export. */
  readonly documents: number;
  /** Of their bytes. */
  readonly bytes: number;
  readonly written: number;
  /** Files that were there already. */
  readonly kept: number;
  /** Searchable PDFs of them. */
  readonly searchable: number;
  readonly problems: number;
}

interface Work {
  readonly db: Db;
  readonly storage: Storage;
  readonly target: ExportTarget;
  readonly manifest: ManifestWriter;
  readonly chosen: ChosenDocuments;
  /** Hashes of files that may be written for one document only. */
  readonly sharedFiles: ReadonlySet<string>;
  readonly names: FileNames;
  /** Undefined where no searchable PDFs are wanted. */
  readonly archive: { readonly names: FileNames; readonly find: FindArchiveFile } | undefined;
  readonly userNames: ReadonlyMap<string, string>;
  readonly references: References;
  readonly report: { advance(bytes: number): void; problem(problem: ExportProblem): void };
}

const MAX_EXTENSION_CHARACTERS = 10;

const extensionFor = ({ mimeType, filename }: Document): string =>
  findKindByMimeType(mimeType)?.extensions[0] ??
  extensionOf(filename)
    .replaceAll(/[^a-z0-9]/g, '')
    .slice(0, MAX_EXTENSION_CHARACTERS);

const nameFor = (names: FileNames, { userNames, references: { filing } }: Work, document: Document, extension: string): string => {
  const day = dayOf(document);
  const [year = '', month = '', dayOfMonth = ''] = day.split('-');
  return names.add({
    extension,
    values: {
      document_date: day,
      year,
      month,
      day: dayOfMonth,
      correspondent: filing.correspondents.names.get(document.correspondentId ?? '') ?? '',
      document_type: filing.documentTypes.names.get(document.documentTypeId ?? '') ?? '',
      title: document.title,
      archive_number: String(document.archiveNumber ?? ''),
      owner: userNames.get(document.ownerId) ?? '',
      filename: document.filename.replace(/\.[^.]{1,16}$/, ''),
      id: document.id,
    },
  });
};

const sourceOf = (storage: Storage, { sha256, sizeBytes, createdAt }: Document): FileSource => ({
  sha256,
  sizeBytes,
  modifiedAt: new Date(toTime(createdAt)),
  open: async () => (await storage.open(documentKey(sha256))).stream,
});

/** Why a single file could not be written; undefined where the storage or the target cannot work now. */
const reasonOfFailure = (error: unknown): 'missing' | 'damaged' | undefined => {
  if (error instanceof DamagedFileError) return 'damaged';
  if (!(error instanceof AppError) || error.kind !== 'NOT_FOUND') return undefined;
  return error.code === 'FILE_MISSING' ? 'missing' : 'damaged';
};

/** Undefined where the document was deleted meanwhile; throws what is no fault of the one file. */
const writeFile = async (
  { db, storage, target }: Work,
  document: Document,
  name: string,
): Promise<{ readonly checksums: FileChecksums; readonly isNew: boolean } | 'missing' | 'damaged' | undefined> => {
  try {
    return await target.write(name, sourceOf(storage, document));
  } catch (error) {
    const reason = reasonOfFailure(error);
    if (reason === undefined) throw error;
    return (await isStillThere(db, document.id)) ? reason : undefined;
  }
};

/** The records of a document, its notes and its values. */
const writeRecords = async (
  { db, manifest, chosen, references, report }: Work,
  { document, labelIds, values }: DocumentPart,
  file: ExportedDocument['file'],
  archive: ExportedDocument['archive'],
): Promise<boolean> => {
  const pk = chosen.numberOf(document.id) ?? 0;
  const { text, isWhole } = await readText(db, document.id);
  if (!isWhole) report.problem({ documentId: document.id, reason: 'text_shortened' });
  await manifest.add(documentRecord({ document, pk, labelIds, content: text, file, archive }, references));
  for (const note of await readNotes(db, document)) await manifest.addNext('documents.note', noteFields(note, pk, references.users));
  const created = toTime(document.updatedAt);
  for (const row of values) {
    const fields = valueFields(references.fields, row, { document: pk, created, numberOf: references.numberOf });
    if (fields !== undefined) await manifest.addNext('documents.customfieldinstance', fields);
  }
  return isWhole;
};

/** The PDF of a document where one is wanted and there is one. */
const writeArchive = async (work: Work, document: Document) => {
  const { target, archive } = work;
  if (archive === undefined) return undefined;
  const makeName = (): string => nameFor(archive.names, work, document, 'pdf');
  return await writeArchiveFile({ target, findArchiveFile: archive.find }, document, makeName);
};

/** Writes the file of each document, and then its records. */
export const exportDocuments = async (work: Work): Promise<DocumentCounts> => {
  const { db, chosen, report, sharedFiles } = work;
  const counts = { documents: 0, bytes: 0, written: 0, kept: 0, searchable: 0, problems: 0 };
  const once = new Set<string>();
  for await (const part of documentParts(db, chosen)) {
    const { id, sha256, sizeBytes } = part.document;
    const problem = (reason: ExportProblem['reason']): void => {
      counts.problems += 1;
      report.problem({ documentId: id, reason });
    };
    report.advance(sizeBytes);
    if (once.has(sha256)) {
      problem('duplicate');
      continue;
    }
    const extension = extensionFor(part.document);
    const name = nameFor(work.names, work, part.document, extension);
    const file = await writeFile(work, part.document, name);
    if (file === undefined) continue;
    if (typeof file === 'string') {
      problem(file);
      continue;
    }
    if (sharedFiles.has(sha256)) once.add(sha256);
    counts[file.isNew ? 'written' : 'kept'] += 1;
    counts.documents += 1;
    counts.bytes += sizeBytes;
    const archive = await writeArchive(work, part.document);
    if (archive === 'failed') problem('no_searchable');
    const made = archive === 'failed' ? undefined : archive;
    if (made !== undefined) {
      counts.searchable += 1;
      counts[made.isNew ? 'written' : 'kept'] += 1;
    }
    if (!(await writeRecords(work, part, { name, checksums: file.checksums, extension }, made))) counts.problems += 1;
  }
  return counts;
};
