import type { Db } from '@sheaf/db';
import { documentFields as fieldRows } from '@sheaf/db/schema';
import { addLabelPairs, listLabelNames } from '@sheaf/documents/labels';
import { recordEvents } from '@sheaf/events';
import { type AtOnce, eachAtOnce, ImportReport } from '@sheaf/imports/shared';
import type { Alongside } from '@sheaf/ingest';
import { type ImportContext, type ReadRecord, readRecords } from './context.ts';
import { leaveOf } from './document-plan.ts';
import { type DocumentFields, documentFields } from './records.ts';
import { DOCUMENT_MODEL, type DocumentScan } from './scan.ts';
import { type DocumentTaker, type PaperlessFile, type TakenDocument, takeDocument } from './take-document.ts';

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
