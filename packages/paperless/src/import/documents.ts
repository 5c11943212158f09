import { AppError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { documentFields as fieldRows } from '@sheaf/db/schema';
import { addLabelPairs, listLabelNames } from '@sheaf/documents/labels';
import { recordEvents } from '@sheaf/events';
import {
  type AtOnce,
  type CheckedBody,
  checkBody,
  eachAtOnce,
  type FileLimits,
  ImportReport,
  reasonOf,
  withLanguages,
} from '@sheaf/imports/shared';
import { type Alongside, type ImportedFile, type ImportedResult, type IngestDeps, ingestEarlierVersion } from '@sheaf/ingest';
import { type ImportContext, type ReadRecord, readRecords } from './context.ts';
import { type DocumentPlan, type DocumentTables, filenameOf, type Leave, leaveOf, planDocument, textOf } from './document-plan.ts';
import { type DocumentFields, documentFields } from './records.ts';
import { DOCUMENT_MODEL, type DocumentScan, fingerprintOf } from './scan.ts';

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

/** Files that are read and stored at the same time, and the characters of their texts. */
const AT_ONCE: AtOnce<ReadRecord<DocumentFields>> = {
  records: 32,
  weigh: ({ fields }) => fields.content.length,
  maxWeight: 8_000_000,
  keyOf: ({ fields }) => fields.checksum,
};

const labelsOf = (documents: Parameters<Alongside<PaperlessFile>>[1]) =>
  documents
    .filter(({ file, isNew }) => isNew || !file.isTrashed)
    .flatMap(({ file, documentId }) => file.labels.map((labelId) => ({ documentId, labelId })));

/** Documents that were here, and have more labels now. */
const announceLabels = async (tx: Db, documents: Parameters<Alongside<PaperlessFile>>[1], labelled: ReadonlySet<string>): Promise<void> => {
  const changed = documents.filter(({ documentId, isNew }) => !isNew && labelled.has(documentId));
  if (changed.length === 0) return;
  const names = await listLabelNames(
    tx,
    changed.map(({ documentId }) => documentId),
  );
  await recordEvents(
    tx,
    changed.map(({ documentId, file }) => ({
      event: { type: 'document_updated', document_id: documentId, changes: { labels: names.get(documentId) ?? [] } },
      ownerId: file.ownerId,
    })),
  );
};

/** What becomes true in the transaction of the documents: that they were taken over, their labels, and where they were stored. */
export const writeAlongside =
  ({ items }: Pick<ImportContext, 'items'>): Alongside<PaperlessFile> =>
  async (tx, documents) => {
    await items.add(
      tx,
      DOCUMENT_MODEL,
      documents.map(({ file, documentId, isNew }) => ({
        foreignId: file.pk,
        localId: documentId,
        isJoined: !isNew,
        fingerprint: file.fingerprint,
      })),
    );
    await announceLabels(tx, documents, await addLabelPairs(tx, labelsOf(documents)));
    const paths = documents.flatMap(({ file: { path }, documentId, isNew }) =>
      isNew && path !== undefined ? [{ documentId, fieldId: path.field.id, textValue: path.name }] : [],
    );
    if (paths.length > 0) await tx.insert(fieldRows).values(paths).onConflictDoNothing();
  };

/** What documents of the export became here, by their ids there; those that were not taken over are missing. */
export type TakenDocuments = Map<string, TakenDocument>;

/** What is known of the documents once they were taken: what the archive says of them, and what became of them here. */
export interface ImportedDocuments {
  readonly scan: DocumentScan;
  readonly taken: TakenDocuments;
}

const leaveOut = ({ report, source }: ImportContext, pk: string, kind: string, title: string, reason: string): void =>
  leaveOf(report, `${source}:${pk}`)(kind, title, reason);

/** Those in the trash come second: where somebody has a file again, it is this document that stays. */
const PARTS = ['kept', 'trashed'] as const;

/** Records of a part that become documents: neither a version of another one, nor taken over before. */
async function* newDocuments(
  context: ImportContext,
  scan: DocumentScan,
  { part, taken, onDone }: { part: (typeof PARTS)[number]; taken: TakenDocuments; onDone: () => void },
) {
  const { report } = context;
  for await (const record of readRecords(
    part === 'kept' ? context : { ...context, report: new ImportReport() },
    DOCUMENT_MODEL,
    documentFields,
  )) {
    const { pk, fields } = record;
    if (scan.trashed.has(pk) !== (part === 'trashed')) continue;
    const root = scan.rootOfVersion.get(pk);
    if (root !== undefined) {
      if (!scan.ids.has(root))
        leaveOut(context, pk, 'document', fields.title, `It is a version of document ${root}, which is not in the export`);
    } else if (taken.has(pk)) {
      report.documents.skipped += 1;
      report.alreadyImported += 1;
      if (taken.get(pk)?.isJoined === true) leaveOut(context, pk, 'duplicate', fields.title, 'Its owner had this file already');
      onDone();
    } else yield record;
  }
}

/** Takes the documents over, several at once, and adds them to `taken`. Throws where the import cannot go on: a later run does. */
export const importDocuments = async (taker: DocumentTaker, taken: TakenDocuments, onDone: () => void): Promise<void> => {
  const { context, scan } = taker;
  const before = new Map(taken);
  for (const part of scan.trashed.size > 0 ? PARTS : PARTS.slice(0, 1))
    await eachAtOnce(newDocuments(context, scan, { part, taken: before, onDone }), AT_ONCE, async (record) => {
      const document = await takeDocument(taker, record);
      if (document !== undefined) taken.set(record.pk, document);
      onDone();
    });
  // nothing of what was deleted there comes to documents that are not
  for (const pk of scan.trashed.keys()) if (taken.get(pk)?.isJoined === true) taken.delete(pk);
  for (const [version, root] of scan.rootOfVersion) {
    const document = taken.get(root);
    if (document !== undefined) taken.set(version, { ...document, isJoined: true });
  }
};

/** Which records became earlier versions. */
const MODEL = 'documents.document.version';

export interface VersionOrder extends ImportedDocuments {
  readonly context: ImportContext;
  readonly ingest: IngestDeps;
  readonly limits: FileLimits;
  readonly ownerId: string;
}

/** Where a record stands among the files of its document. */
interface Place {
  readonly rootPk: string;
  readonly version: number;
  readonly newest: number;
  readonly newestAdded: Date | undefined;
}

/** The places of all files that are not the newest of their document, by the ids of their records. */
const placesOf = ({ newest, versions }: DocumentScan): Map<string, Place> => {
  const places = new Map<string, Place>();
  for (const [rootPk, current] of newest) {
    const later = (versions.get(rootPk) ?? []).toSorted((one, other) => one.index - other.index).map(({ pk }) => pk);
    const chain = [rootPk, ...later.filter((pk) => pk !== current.pk)];
    for (const [at, pk] of chain.entries())
      places.set(pk, { rootPk, version: at + 1, newest: chain.length + 1, newestAdded: current.fields.added });
  }
  return places;
};

const takeVersion = async (
  { context, taken, ingest, limits, ownerId }: VersionOrder,
  { pk, fields, files }: ReadRecord<DocumentFields>,
  { rootPk, version, newest, newestAdded }: Place,
): Promise<void> => {
  const leave = leaveOf(context.report, `${context.source}:${rootPk}`);
  const name = `${fields.title}: ${fields.version_label || `version ${version}`}`;
  const document = taken.get(rootPk);
  if (document === undefined || document.isJoined)
    return leave(
      'file version',
      name,
      document === undefined ? 'Its document was not imported' : 'The document that has the file keeps its own versions',
    );
  const { versionsKeep } = ingest.settings.current();
  if (versionsKeep > 0 && version < newest - versionsKeep) return leave('file version', name, `VERSIONS_KEEP is ${versionsKeep}`);
  const exported = files.original ?? '';
  const opened = exported === '' ? undefined : await context.archive.openFile(exported).catch(() => undefined);
  if (opened === undefined) return leave('file version', name, 'The export does not have its file');
  const checked = checkBody(opened.stream, fields.checksum);
  try {
    const file = {
      route: 'import' as const,
      filename: filenameOf(fields, exported),
      title: fields.title,
      ownerId,
      body: checked.body,
      ...limits,
      ledgerPath: exported,
      modifiedAt: fields.modified,
      documentId: document.id,
      version,
      newest,
      newestCreatedAt: newestAdded ?? new Date(),
      addedAt: fields.added ?? new Date(0),
      text: await withLanguages(textOf(fields)),
    };
    const result = await ingestEarlierVersion(file, ingest, (tx) =>
      context.items.add(tx, MODEL, [{ foreignId: pk, localId: document.id }]),
    );
    if (result.outcome === 'ingested') noteChecksum(context, checked.isRight(), name, leave);
    else leave('file version', name, result.outcome === 'refused' ? result.message : 'Its document was deleted, or has another file now');
  } catch (error) {
    if (endsImport(error)) throw error;
    leave('file version', name, reasonOf(error));
  } finally {
    checked.body.destroy();
    opened.stream.destroy();
  }
};

/** Puts the files that documents had before their newest one among their versions, in the order of the export. */
export const importVersions = async (order: VersionOrder): Promise<void> => {
  const { context, scan } = order;
  const places = placesOf(scan);
  if (places.size === 0) return;
  const known = await context.items.find(context.db, MODEL);
  for await (const record of readRecords(context, DOCUMENT_MODEL, documentFields)) {
    const place = places.get(record.pk);
    if (place !== undefined && !known.has(record.pk)) await takeVersion(order, record, place);
  }
};
