import { type IngestDeps, makeImportedIngest, makeImportedPreview } from '@sheaf/ingest';
import type { PaperlessArchive } from '@sheaf/paperless/archive';
import { indexDocuments } from '@sheaf/search';
import type { ConfiguredRoles, Principal } from '@sheaf/vocabulary/permissions';
import { ImportItems } from '../import-items.ts';
import type { FileLimits, ImportProgress } from '../import-order.ts';
import type { ImportSummary } from '../report.ts';
import type { HeldImport } from '../runs/import-runs.ts';
import { withImportRun } from '../runs/with-import-run.ts';
import { withTakingBack } from '../taking-back.ts';
import { type ImportContext, readSmallRecords } from './context.ts';
import type { DocumentTables } from './document-plan.ts';
import { importDocuments, type TakenDocuments, writeAlongside } from './documents.ts';
import { importFieldValues } from './field-values.ts';
import { type ImportedField, importFields, importStoragePaths } from './fields.ts';
import { importEntries } from './filing.ts';
import { importLabels } from './labels.ts';
import { leaveOthers } from './left-out.ts';
import { importRules } from './matching-rules.ts';
import { importNotes } from './notes.ts';
import { DOCUMENT_MODEL, type DocumentScan, scanDocuments } from './scan.ts';
import type { PaperlessFile } from './take-document.ts';
import { importTrash } from './trash.ts';
import { type ImportedUser, importUsers } from './users.ts';
import { importVersions } from './versions.ts';
import { importViews } from './views.ts';

const KIND = 'paperless';

export interface PaperlessImport {
  /** Its storage and database get the documents. */
  readonly ingest: IngestDeps;
  readonly archive: PaperlessArchive;
  /** Who requested the import: everything is made in this user's name, and within these permissions. */
  readonly by: Principal;
  /** Which roles the configuration gives. */
  readonly roles: ConfiguredRoles;
  /** Who gets documents without an owner. */
  readonly ownerId: string;
  /** What the other installation is called here: its ids are told apart by it. */
  readonly source: string;
  readonly limits: FileLimits;
  readonly isDryRun: boolean;
  readonly progress?: ImportProgress;
  /** The import that was asked for in the interface; undefined for one of the command line. */
  readonly held?: HeldImport | undefined;
  /** Called where it was cancelled meanwhile. */
  readonly onLost?: (() => void) | undefined;
}

/** What everything but the documents became. */
interface Tables {
  readonly users: ReadonlyMap<string, ImportedUser>;
  readonly fields: ReadonlyMap<string, ImportedField>;
  readonly documents: DocumentTables;
}

const importTables = async (
  context: ImportContext,
  { ownerId, roles }: Pick<PaperlessImport, 'ownerId' | 'roles'>,
  links: DocumentScan['links'],
): Promise<Tables> => {
  const users = await importUsers(context, roles);
  const labels = await importLabels(context);
  const correspondents = await importEntries(context, 'correspondents');
  const documentTypes = await importEntries(context, 'documentTypes');
  const fields = await importFields(context, links);
  const paths = await importStoragePaths(context);
  await importRules(context, { labels, correspondents, documentTypes, paths });
  await importViews(context, users, {
    labels: labels.ids,
    labelNames: new Map([...labels.tags].map(([pk, { name }]) => [pk, name])),
    inboxLabels: [...labels.tags].flatMap(([pk, { is_inbox_tag: isInbox }]) => (isInbox ? (labels.ids.get(pk) ?? []) : [])),
    correspondents: correspondents.ids,
    documentTypes: documentTypes.ids,
    users,
    fieldNames: new Map([...fields].map(([pk, field]) => [pk, field.fields[0]?.name ?? field.name])),
    paths: paths.names,
    pathField: paths.field?.name,
  });
  return {
    users,
    fields,
    documents: {
      users,
      defaultOwnerId: ownerId,
      labels: { ids: labels.ids, given: labels.tags },
      correspondents,
      documentTypes,
      paths,
    },
  };
};

const importAll = async (context: ImportContext, order: PaperlessImport, progress: ImportProgress | undefined): Promise<void> => {
  const { db, items, isDryRun } = context;
  const { ingest, ownerId, limits } = order;
  const known = await items.find(db, DOCUMENT_MODEL);
  const scan = await scanDocuments(context, known);
  const tables = await withTakingBack(db, isDryRun, (tx) => importTables({ ...context, db: tx }, order, scan.links));
  const taken: TakenDocuments = new Map([...known].map(([pk, { localId, isJoined }]) => [pk, { id: localId, isJoined }]));
  const taker = {
    context,
    tables: tables.documents,
    scan,
    limits,
    ingest: isDryRun
      ? makeImportedPreview(ingest)
      : makeImportedIngest<PaperlessFile>(ingest, { alongside: writeAlongside(context), index: indexDocuments }),
  };
  let done = 0;
  progress?.begin(scan.total);
  await importDocuments(taker, taken, () => progress?.reach((done += 1)));
  progress?.finish?.();
  if (!isDryRun) await importVersions({ context, scan, taken, ingest, limits, ownerId });
  await importNotes(context, { users: tables.users, taken, scan });
  await importFieldValues(context, { fields: tables.fields, taken, scan });
  if (!isDryRun) await importTrash(context, { taken, scan });
  await leaveOthers(context, scan, tables.users);
};

/**
 * Takes over an export of Paperless-ngx and answers what became of it. What an earlier import of this source took over is left as it is,
 * so an interrupted import goes on where it was. Throws an ImportSourceError for an export that cannot be imported, and what the
 * database or the storage throws where it does not work.
 */
export const importPaperless = (order: PaperlessImport): Promise<ImportSummary> => {
  const { ingest, archive, by, source, isDryRun } = order;
  const items = new ImportItems(KIND, source);
  return withImportRun({ ...order, db: ingest.db, kind: KIND, held: order.held }, async (report, progress) => {
    const small = await readSmallRecords(archive);
    await importAll({ db: ingest.db, archive, small, items, report, by, source, isDryRun }, order, progress);
  });
};
