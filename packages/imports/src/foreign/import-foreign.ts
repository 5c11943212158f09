import { AppError } from '@sheaf/contract';
import { addImportedNotes } from '@sheaf/documents';
import { addLabelPairs } from '@sheaf/documents/labels';
import {
  type Alongside,
  type ImportedFile,
  type ImportedResult,
  type IngestDeps,
  makeImportedIngest,
  makeImportedPreview,
} from '@sheaf/ingest';
import { inBatches, uuidv7 } from '@sheaf/process';
import { indexDocuments } from '@sheaf/search';
import { MAX_ARCHIVE_NUMBER, MAX_NOTE_CHARACTERS, MAX_NOTES } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { checkBody } from '../checked-body.ts';
import { type AtOnce, eachAtOnce } from '../each-at-once.ts';
import { ImportItems } from '../import-items.ts';
import type { FileLimits, ImportProgress, ImportSummary } from '../report.ts';
import type { HeldImport } from '../runs/import-runs.ts';
import { withImportRun } from '../runs/with-import-run.ts';
import { withTakingBack } from '../taking-back.ts';
import { withLanguages } from '../text-languages.ts';
import type { ForeignDocument, ForeignItem } from './foreign-document.ts';
import { type ForeignContext, type Leave, NameTables } from './name-tables.ts';

/** A document with what it was found to be here. */
interface FiledDocument {
  readonly document: ForeignDocument;
  readonly file: Omit<ForeignFile, 'body'>;
  readonly leave: (kind: string, name: string, reason: string) => void;
}

/** Documents that are looked up together among those of earlier runs. */
const BATCH = 100;
/** Files that are read and stored at the same time, and what their text may weigh together. */
const AT_ONCE: AtOnce<FiledDocument> = {
  records: 16,
  weigh: ({ document: { pages = [] } }) => pages.reduce((sum, { length }) => sum + length, 0),
  maxWeight: 16_000_000,
  keyOf: ({ document }) => document.sha256,
};

export interface ForeignImport {
  /** Of which system: what is known of earlier runs is known by it. */
  readonly kind: 'folder' | 'mbox' | 'docspell' | 'papra' | 'readur';
  /** What there is, in any order. */
  readonly items: AsyncIterable<ForeignItem>;
  /** Its storage and database get the documents. */
  readonly ingest: IngestDeps;
  /** Who requested the import: everything is made in this user's name, and within these permissions. */
  readonly by: Principal;
  /** Who gets the documents. */
  readonly ownerId: string;
  /** What the other system is called here: its ids are told apart by it. */
  readonly source: string;
  readonly limits: FileLimits;
  readonly isDryRun: boolean;
  readonly progress?: ImportProgress | undefined;
  /** The import that was asked for in the interface; undefined for one of the command line. */
  readonly held?: HeldImport | undefined;
  /** Called where it was cancelled meanwhile. */
  readonly onLost?: (() => void) | undefined;
}

/** Documents that were not taken over before, filed one after the other. */
async function* filedDocuments(taker: ForeignTaker, given: AsyncIterable<ForeignItem>, onDone: () => void): AsyncGenerator<FiledDocument> {
  const { context } = taker;
  const { report, items, db, source } = context;
  for await (const batch of inBatches(given, BATCH)) {
    const ids = batch.flatMap((item) => ('document' in item ? [item.document.id] : []));
    const known = await items.find(db, MODEL, ids);
    for (const item of batch) {
      const id = 'document' in item ? item.document.id : item.rest.documentId;
      const leave: FiledDocument['leave'] = (kind, name, reason) =>
        report.leave(kind, name, reason, id === undefined ? null : `${source}:${id}`);
      if ('rest' in item) {
        leave(item.rest.kind, item.rest.name, item.rest.reason);
        continue;
      }
      const { document } = item;
      const earlier = known.get(document.id);
      if (earlier === undefined) yield { document, file: await fileDocument(taker, document, leave), leave };
      else {
        report.documents.skipped += 1;
        report.alreadyImported += 1;
        if (earlier.isJoined) leave('duplicate', document.title ?? document.filename, 'Its owner had this file already');
        onDone();
      }
    }
  }
}

const importAll = (context: ForeignContext, order: ForeignImport, progress: ImportProgress | undefined): Promise<void> =>
  withTakingBack(context.db, order.isDryRun, async (tx) => {
    // of a dry run only what the files are is looked at, and the names are released at its end
    const inside = { ...context, db: tx };
    const ingest = order.isDryRun
      ? makeImportedPreview(order.ingest)
      : makeImportedIngest<ForeignFile>(order.ingest, { alongside: writeAlongside(context), index: indexDocuments });
    const taker: ForeignTaker = { context: inside, tables: new NameTables(inside), limits: order.limits, ingest };
    let done = 0;
    const onDone = (): void => progress?.reach((done += 1));
    await eachAtOnce(filedDocuments(taker, order.items, onDone), AT_ONCE, async ({ document, file, leave }) => {
      await takeForeign(taker, document, file, leave);
      onDone();
    });
  });

/**
 * Takes over what another system has, and answers what became of it. What an earlier import of this source took over is left as it is,
 * so an interrupted import goes on where it was. Throws what the database or the storage throws where it does not work.
 */
export const importForeign = (order: ForeignImport): Promise<ImportSummary> => {
  const { kind, ingest, by, ownerId, source } = order;
  return withImportRun({ ...order, db: ingest.db, held: order.held }, (report, progress) =>
    importAll({ db: ingest.db, items: new ImportItems(kind, source), report, by, ownerId, source }, order, progress),
  );
};

const MODEL = 'document';

/** A file with what is written down beside its document. */
interface ForeignFile extends ImportedFile {
  readonly foreignId: string;
  readonly labels: readonly string[];
  readonly notes: ForeignDocument['notes'];
}

interface ForeignTaker {
  readonly context: ForeignContext;
  readonly tables: NameTables;
  readonly limits: FileLimits;
  readonly ingest: (file: ForeignFile) => Promise<ImportedResult>;
}

/** What becomes true in the transaction of the documents: that they were taken over, their labels and their notes. */
const writeAlongside =
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
const fileDocument = async (
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
const takeForeign = async (
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
