import { AppError } from '@sheaf/contract';
import { addImportedNotes } from '@sheaf/documents';
import { addLabelPairs } from '@sheaf/documents/labels';
import type { Alongside, ImportedFile, ImportedResult } from '@sheaf/ingest';
import { uuidv7 } from '@sheaf/process';
import { MAX_ARCHIVE_NUMBER, MAX_NOTE_CHARACTERS, MAX_NOTES } from '@sheaf/vocabulary/limits';
import { checkBody } from '../checked-body.ts';
import type { FileLimits } from '../import-order.ts';
import { withLanguages } from '../text-languages.ts';
import type { ForeignContext } from './foreign-context.ts';
import type { ForeignDocument } from './foreign-document.ts';
import type { Leave, NameTables } from './name-tables.ts';

export const MODEL = 'document';

/** A file with what is written down beside its document. */
export interface ForeignFile extends ImportedFile {
  readonly foreignId: string;
  readonly labels: readonly string[];
  readonly notes: ForeignDocument['notes'];
}

export interface ForeignTaker {
  readonly context: ForeignContext;
  readonly tables: NameTables;
  readonly limits: FileLimits;
  readonly ingest: (file: ForeignFile) => Promise<ImportedResult>;
}

/** What becomes true in the transaction of the documents: that they were taken over, their labels and their notes. */
export const writeAlongside =
  ({ items }: ForeignContext): Alongside<ForeignFile> =>
  async (tx, documents) => {
    await items.add(
      tx,
      MODEL,
      documents.map(({ file, documentId, isNew }) => ({ foreignId: file.foreignId, localId: documentId, isJoined: !isNew })),
    );
    const added = documents.filter(({ isNew }) => isNew);
    await addLabelPairs(
      tx,
      added.flatMap(({ file, documentId }) => file.labels.map((labelId) => ({ documentId, labelId }))),
    );
    await addImportedNotes(
      tx,
      added.flatMap(({ file, documentId }) =>
        file.notes.map(({ text, createdAt }) => ({ id: uuidv7(), documentId, authorId: null, text, createdAt: createdAt ?? new Date() })),
      ),
    );
  };

const notesOf = ({ notes }: ForeignDocument, leave: Leave): ForeignFile['notes'] => {
  if (notes.length > MAX_NOTES) leave('note', `${notes.length - MAX_NOTES} notes`, `A document has at most ${MAX_NOTES} notes`);
  return notes.slice(0, MAX_NOTES).map((note) => {
    const characters = Array.from(note.text.replaceAll('\0', '').toWellFormed());
    if (characters.length > MAX_NOTE_CHARACTERS)
      leave('note', note.text.slice(0, 50), `Only its first ${MAX_NOTE_CHARACTERS} characters were imported`);
    return { ...note, text: characters.slice(0, MAX_NOTE_CHARACTERS).join('') };
  });
};

const numberOf = ({ archiveNumber }: ForeignDocument, leave: Leave): number | undefined => {
  if (archiveNumber === undefined || (archiveNumber > 0 && archiveNumber <= MAX_ARCHIVE_NUMBER)) return archiveNumber;
  leave('archive number', String(archiveNumber), `Archive numbers are from 1 to ${MAX_ARCHIVE_NUMBER}`);
  return undefined;
};

/** What the names of a document are here. One document at a time: two may name the same thing for the first time. */
export const fileDocument = async (
  { context, tables, limits }: ForeignTaker,
  document: ForeignDocument,
  leave: Leave,
): Promise<Omit<ForeignFile, 'body'>> => {
  const correspondentId = document.correspondent === undefined ? undefined : await tables.correspondent(document.correspondent, leave);
  const documentTypeId = document.documentType === undefined ? undefined : await tables.documentType(document.documentType, leave);
  const labels: string[] = [];
  for (const path of document.labels) {
    const id = await tables.label(path, leave);
    if (id !== undefined) labels.push(id);
  }
  const { documentDate, pages } = document;
  return {
    ...limits,
    route: 'import',
    filename: document.filename,
    title: document.title,
    ownerId: context.ownerId,
    ledgerPath: document.id,
    modifiedAt: document.modifiedAt,
    importedFrom: `${context.source}:${document.id}`,
    addedAt: document.addedAt,
    filing: {
      documentDate,
      archiveNumber: numberOf(document, leave),
      correspondentId,
      documentTypeId,
      confirmedFields: [
        ...(documentDate === undefined ? [] : ['document_date']),
        ...(correspondentId === undefined ? [] : ['correspondent']),
        ...(documentTypeId === undefined ? [] : ['document_type']),
      ],
    },
    text: pages === undefined ? undefined : { pages, pageCount: null },
    foreignId: document.id,
    labels: [...new Set(labels)],
    notes: notesOf(document, leave),
  };
};

const noteResult = ({ context: { report } }: ForeignTaker, file: Omit<ForeignFile, 'body'>, result: ImportedResult, leave: Leave): void => {
  const name = file.title ?? file.filename;
  switch (result.outcome) {
    case 'ingested':
      report.documents.imported += 1;
      report.count('notes', file.notes.length);
      if (file.text === undefined) report.queued += 1;
      if (result.isNumberTaken) leave('archive number', String(file.filing.archiveNumber), 'Another document has this archive number');
      return;
    case 'duplicate':
      report.documents.skipped += 1;
      leave('duplicate', name, 'Its owner has this file already; that document stays as it is');
      return;
    case 'refused':
      report.documents.failed += 1;
      leave('document', name, result.message);
  }
};

/** Whether the import cannot go on: the database or the storage does not work. */
const endsImport = (error: unknown): boolean => error instanceof AppError && error.kind === 'SERVICE_UNAVAILABLE';

/** Takes a document in. What fails of it alone is reported; throws where the import cannot go on. */
export const takeForeign = async (
  taker: ForeignTaker,
  document: ForeignDocument,
  file: Omit<ForeignFile, 'body'>,
  leave: Leave,
): Promise<void> => {
  const { report } = taker.context;
  const opened = await document.open().catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  if (opened instanceof Error) {
    report.documents.failed += 1;
    leave('document', document.title ?? document.filename, `The file cannot be read: ${opened.message}`);
    return;
  }
  const { body, isRight } = checkBody(opened, document.sha256 ?? '');
  try {
    noteResult(taker, file, await taker.ingest({ ...file, text: await withLanguages(file.text), body }), leave);
    const right = isRight();
    if (right === true) report.checksums.verified += 1;
    if (right !== false) return;
    report.checksums.wrong += 1;
    leave(
      'document checksum',
      document.filename,
      'The file does not have the checksum that the other system states; it was imported as it is',
    );
  } catch (error) {
    if (endsImport(error) || !(error instanceof AppError)) throw error;
    report.documents.failed += 1;
    leave('document', document.title ?? document.filename, error.message);
  } finally {
    body.destroy();
    opened.destroy();
  }
};
