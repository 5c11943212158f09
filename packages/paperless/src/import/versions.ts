import { checkBody, type FileLimits, reasonOf, withLanguages } from '@sheaf/imports/shared';
import { type IngestDeps, ingestEarlierVersion } from '@sheaf/ingest';
import { type ImportContext, type ReadRecord, readRecords } from './context.ts';
import { filenameOf, leaveOf, textOf } from './document-plan.ts';
import type { ImportedDocuments } from './documents.ts';
import { type DocumentFields, documentFields } from './records.ts';
import { DOCUMENT_MODEL, type DocumentScan } from './scan.ts';
import { endsImport, noteChecksum } from './take-document.ts';

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
