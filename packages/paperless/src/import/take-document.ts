import { AppError } from '@sheaf/contract';
import { type CheckedBody, checkBody, type FileLimits, reasonOf, withLanguages } from '@sheaf/imports/shared';
import type { ImportedFile, ImportedResult } from '@sheaf/ingest';
import type { ImportContext, ReadRecord } from './context.ts';
import { type DocumentPlan, type DocumentTables, filenameOf, type Leave, leaveOf, planDocument } from './document-plan.ts';
import type { DocumentFields } from './records.ts';
import { type DocumentScan, fingerprintOf } from './scan.ts';

/** A file with what is written down beside its document. */
export interface PaperlessFile extends ImportedFile {
  readonly pk: string;
  readonly fingerprint: string | null;
  readonly labels: DocumentPlan['labelIds'];
  readonly path: DocumentPlan['path'];
  /** Whether it lies in the trash there. */
  readonly isTrashed: boolean;
}

export interface DocumentTaker {
  readonly context: ImportContext;
  readonly tables: DocumentTables;
  readonly scan: DocumentScan;
  readonly limits: FileLimits;
  readonly ingest: (file: PaperlessFile) => Promise<ImportedResult>;
}

/** The record whose file and text the document has: its own, or that of its newest version. */
const currentOf = ({ scan }: DocumentTaker, record: ReadRecord<DocumentFields>): ReadRecord<DocumentFields> => {
  const newest = scan.newest.get(record.pk);
  if (newest === undefined) return record;
  const { original_filename: originalFilename, ...file } = newest.fields;
  const { content, mime_type, checksum, page_count } = file;
  const fields = {
    ...record.fields,
    content,
    mime_type,
    checksum,
    page_count,
    original_filename: originalFilename || record.fields.original_filename,
  };
  return { pk: record.pk, fields, files: newest.files };
};

const toFile = async (
  { context, tables, limits }: DocumentTaker,
  { pk, fields, files: { archive = '' } }: ReadRecord<DocumentFields>,
  exported: string,
  { body }: CheckedBody,
  leave: Leave,
): Promise<PaperlessFile> => {
  const plan = planDocument(fields, tables, leave);
  return {
    route: 'import',
    filename: filenameOf(fields, exported),
    title: fields.title,
    ownerId: plan.ownerId,
    body,
    ...limits,
    ledgerPath: exported,
    modifiedAt: fields.modified,
    importedFrom: `${context.source}:${pk}`,
    addedAt: fields.added,
    filing: plan.filing,
    text: context.isDryRun ? plan.text : await withLanguages(plan.text),
    openPreview: archive === '' ? undefined : async () => (await context.archive.openFile(archive).catch(() => undefined))?.stream,
    pk,
    fingerprint: fingerprintOf(fields),
    labels: plan.labelIds,
    path: plan.path,
    isTrashed: fields.deleted_at !== undefined,
  };
};

/** Whether the import cannot go on: the database or the storage does not work. */
export const endsImport = (error: unknown): boolean => !(error instanceof AppError) || error.kind === 'SERVICE_UNAVAILABLE';

const note = (
  { context: { report } }: DocumentTaker,
  file: PaperlessFile,
  title: string,
  result: ImportedResult,
  leave: Leave,
): string | undefined => {
  switch (result.outcome) {
    case 'ingested':
      report.documents.imported += 1;
      if (file.text === undefined) report.queued += 1;
      if (result.isNumberTaken) leave('archive number', String(file.filing.archiveNumber), 'Another document has this archive number');
      return result.documentId;
    case 'duplicate':
      report.documents.skipped += 1;
      leave(
        'duplicate',
        title,
        file.isTrashed
          ? 'It is in the trash, and its owner has this file'
          : 'Its owner has this file already; that document also has its labels and notes now',
      );
      return result.documentId;
    case 'refused':
      report.documents.failed += 1;
      leave('document', title, result.message);
      return undefined;
  }
};

export const noteChecksum = (
  { report }: Pick<ImportContext, 'report'>,
  isRight: boolean | undefined,
  title: string,
  leave: Leave,
): void => {
  if (isRight === true) report.checksums.verified += 1;
  if (isRight !== false) return;
  report.checksums.wrong += 1;
  leave('document checksum', title, 'The file does not have the checksum that the export states; it was imported as it is');
};

/** What a document became. */
export interface TakenDocument {
  readonly id: string;
  readonly isJoined: boolean;
}

/** Takes a document in; undefined where it is not, which is reported. Throws where the import cannot go on. */
export const takeDocument = async (taker: DocumentTaker, record: ReadRecord<DocumentFields>): Promise<TakenDocument | undefined> => {
  const { archive, report, source } = taker.context;
  const leave = leaveOf(report, `${source}:${record.pk}`);
  const { title } = record.fields;
  const fail = (reason: string): undefined => {
    report.documents.failed += 1;
    leave('document', title, reason);
  };
  const current = currentOf(taker, record);
  const exported = current.files.original ?? '';
  const opened = exported === '' ? undefined : await archive.openFile(exported).catch(() => undefined);
  if (opened === undefined) return fail(exported === '' ? 'The export names no file' : `The export does not have the file ${exported}`);
  const checked = checkBody(opened.stream, current.fields.checksum);
  try {
    const file = await toFile(taker, current, exported, checked, leave);
    const result = await taker.ingest(file);
    const id = note(taker, file, title, result, leave);
    if (id === undefined) return undefined;
    noteChecksum(taker.context, checked.isRight(), title, leave);
    return { id, isJoined: result.outcome === 'duplicate' };
  } catch (error) {
    if (endsImport(error)) throw error;
    return fail(reasonOf(error));
  } finally {
    checked.body.destroy();
    opened.stream.destroy();
  }
};
