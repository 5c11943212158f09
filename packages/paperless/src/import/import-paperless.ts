import { lockDocumentAndJob } from '@sheaf/documents';
import { createEntry } from '@sheaf/filing';
import {
  ENTRY_KINDS,
  type EntryKind,
  type FileLimits,
  findByName,
  type HeldImport,
  ImportItems,
  type ImportProgress,
  type ImportSummary,
  toName,
  withImportRun,
  withTakingBack,
} from '@sheaf/imports/shared';
import { type IngestDeps, makeImportedIngest, makeImportedPreview } from '@sheaf/ingest';
import { moveToTrash } from '@sheaf/ingest/trash';
import { indexDocuments } from '@sheaf/search';
import type { ConfiguredRoles, Principal } from '@sheaf/vocabulary/permissions';
import type { PaperlessArchive, PaperlessRecord } from '../archive/index.ts';
import { type ImportContext, nameOf, readAll, readRecord, readSmallRecords } from './context.ts';
import type { DocumentTables } from './document-plan.ts';
import {
  type ImportedDocuments,
  importDocuments,
  importVersions,
  type PaperlessFile,
  type TakenDocuments,
  writeAlongside,
} from './documents.ts';
import { importFieldValues } from './field-values.ts';
import { type ImportedField, importFields, importStoragePaths } from './fields.ts';
import { importLabels, importRules } from './labels.ts';
import { importNotes } from './notes.ts';
import { type EntryFields, entryFields, groupFields, objectPermissionFields, permissionFields } from './records.ts';
import { DOCUMENT_MODEL, type DocumentScan, scanDocuments } from './scan.ts';
import { type ImportedUser, importUsers } from './users.ts';
import { importViews, namesInImport } from './views.ts';

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
  const ids = {
    tag: labels.ids,
    correspondent: correspondents.ids,
    document_type: documentTypes.ids,
    user: new Map([...users].map(([pk, { id }]) => [pk, id])),
    custom_field: new Map([...fields].flatMap(([pk, { fields: own }]) => own.slice(0, 1).map(({ id }) => [pk, id] as const))),
  };
  const inboxTags = [...labels.tags].flatMap(([pk, { is_inbox_tag: isInbox }]) => (isInbox ? (labels.ids.get(pk) ?? []) : []));
  await importViews(context, users, namesInImport(context, { ids, inboxTags, fields, paths }));
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

const MODELS = { correspondents: 'documents.correspondent', documentTypes: 'documents.documenttype' } as const;

/** What entries of one kind became, by the ids that they had. */
interface ImportedEntries {
  readonly ids: ReadonlyMap<string, string>;
  readonly given: ReadonlyMap<string, EntryFields>;
}

/** Takes over the correspondents or the document types. */
const importEntries = async (context: ImportContext, which: keyof typeof MODELS): Promise<ImportedEntries> => {
  const { report, by, items } = context;
  const model = MODELS[which];
  const { filing, maxCharacters, counted, details }: EntryKind = ENTRY_KINDS[which];
  const given = readAll(context, model, entryFields);
  const ids = new Map<string, string>();
  await context.db.transaction(async (tx) => {
    const known = await items.findRows(tx, model, filing.table);
    for (const [pk, entry] of given) {
      const knownId = known.get(pk);
      if (knownId !== undefined) {
        if (knownId !== null) ids.set(pk, knownId);
        continue;
      }
      const name = toName(entry.name, maxCharacters);
      if (name === undefined) {
        report.leave(filing.field, pk, 'It has no name');
        continue;
      }
      if (name !== entry.name) report.leave(`${filing.field} name`, entry.name, `It is called ${name}`);
      const same = await findByName(tx, filing.table, name, by.userId);
      const id = same ?? (await createEntry(tx, filing, { name, details }, by)).id;
      await items.add(tx, model, [{ foreignId: pk, localId: id, isJoined: same !== undefined }]);
      report.count(counted);
      ids.set(pk, id);
    }
  });
  return { ids, given };
};

/** Notes which documents went to the trash here: what somebody has restored since stays where it is. */
const MODEL = 'documents.document.trash';
const BATCH = 100;

/** Documents that lie in the trash there and were made of it here; those that their owners had before stay. */
const trashedHere = ({ taken, scan }: ImportedDocuments): { readonly pk: string; readonly id: string }[] =>
  [...scan.trashed.keys()].flatMap((pk) => {
    const document = taken.get(pk);
    return document === undefined || document.isJoined ? [] : [{ pk, id: document.id }];
  });

/**
 * Moves the documents that lie in the trash of the export to the trash, with all that hangs on them. Do it last. Their time in the trash
 * begins now.
 */
const importTrash = async ({ db, items }: ImportContext, tables: ImportedDocuments): Promise<void> => {
  const known = await items.find(db, MODEL);
  const waiting = trashedHere(tables).filter(({ pk }) => !known.has(pk));
  for (let at = 0; at < waiting.length; at += BATCH)
    await db.transaction(async (tx) => {
      const there = [];
      // in one order, as others lock them
      for (const { pk, id } of waiting.slice(at, at + BATCH).toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
        const document = await lockDocumentAndJob(tx, id);
        if (document !== undefined) there.push({ pk, document });
      }
      await moveToTrash(
        tx,
        there.map(({ document }) => document),
        { reason: 'deleted', details: { reason: 'deleted before it was imported' } },
      );
      await items.add(
        tx,
        MODEL,
        there.map(({ pk, document }) => ({ foreignId: pk, localId: document.id })),
      );
    });
};

/** Records that have no counterpart here, each reported by its name. */
const LEFT_OUT: Readonly<Record<string, readonly [kind: string, reason: string]>> = {
  'documents.sharelink': ['share link', 'Links to documents are not taken over: they would lead to another address'],
  'documents.sharelinkbundle': ['share link bundle', 'Prepared archives of several documents are not taken over'],
  'paperless_mail.mailaccount': ['mail account', 'Documents are not fetched from mailboxes'],
  'paperless_mail.mailrule': ['mail rule', 'Documents are not fetched from mailboxes'],
  'documents.workflow': ['workflow', 'Workflows with triggers, templates, e-mails and webhooks are not taken over; see Rules'],
  'paperless.applicationconfiguration': ['settings', 'Settings of the other program'],
  'socialaccount.socialaccount': ['single sign-on', 'The account of an identity provider belongs to the other installation'],
  'socialaccount.socialapp': ['single sign-on', 'The identity provider is to be set up here'],
  'socialaccount.socialtoken': ['single sign-on', 'The token belongs to the other installation'],
  'mfa.authenticator': [
    'second factor',
    'The second factor is not taken over: until the user sets one up here, the password alone opens the account',
  ],
};

/** Records of which there are many: how many there are is reported. */
const COUNTED: Readonly<Record<string, readonly [kind: string, reason: string]>> = {
  'documents.uisettings': ['settings', 'Settings of users for the other program'],
  'auditlog.logentry': ['log entries', 'History of the other program'],
};

const RIGHTS = 'Rights to single documents and entries are not taken over: roles say what users may see and change';
const PERMISSION_MODELS: ReadonlySet<string> = new Set(['guardian.userobjectpermission', 'guardian.groupobjectpermission']);

interface Names {
  readonly users: ReadonlyMap<string, string>;
  readonly groups: ReadonlyMap<string, string>;
  readonly permissions: ReadonlyMap<string, string>;
}

/** Reports who had a right to a single document or entry. */
const leavePermission = (context: ImportContext, record: PaperlessRecord, ids: DocumentScan['ids'], names: Names): void => {
  const { report, source } = context;
  const fields = readRecord(context, record, objectPermissionFields)?.fields;
  if (fields === undefined) return;
  const { permission, object_pk: object, user, group = '' } = fields;
  const right = names.permissions.get(permission) ?? `permission ${permission}`;
  const who = user === undefined ? `group ${names.groups.get(group) ?? group}` : (names.users.get(user) ?? `user ${user}`);
  const isDocument = right.endsWith('_document');
  report.leave(
    'permission',
    isDocument ? `${right} for ${who}` : `${right} ${object} for ${who}`,
    isDocument && !ids.has(object) ? `It is for document ${object}, which is not in the export` : RIGHTS,
    isDocument ? `${source}:${object}` : null,
  );
};

/** Reports everything of the export that has no counterpart here. */
const leaveOthers = async (context: ImportContext, { ids }: DocumentScan, users: ReadonlyMap<string, ImportedUser>): Promise<void> => {
  const { archive, report } = context;
  const names = {
    users: new Map([...users].map(([pk, { username }]) => [pk, username])),
    groups: new Map([...readAll(context, 'auth.group', groupFields)].map(([pk, { name }]) => [pk, name])),
    permissions: new Map([...readAll(context, 'auth.permission', permissionFields)].map(([pk, { codename }]) => [pk, codename])),
  };
  const counts = new Map<string, number>();
  for await (const record of archive.records([...Object.keys(LEFT_OUT), ...Object.keys(COUNTED), ...PERMISSION_MODELS])) {
    const [kind, reason] = LEFT_OUT[record.model] ?? [];
    if (PERMISSION_MODELS.has(record.model)) leavePermission(context, record, ids, names);
    else if (kind !== undefined && reason !== undefined)
      report.leave(kind, names.users.get(String(record.fields['user'])) ?? nameOf(record), reason);
    else counts.set(record.model, (counts.get(record.model) ?? 0) + 1);
  }
  for (const [model, count] of counts) {
    const [kind = model, reason = ''] = COUNTED[model] ?? [];
    report.leave(kind, `${count} × ${model}`, reason);
  }
};
