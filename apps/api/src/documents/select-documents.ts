import { AppError, documentNotFound, firstAfter, notBefore, reasonedError } from '@sheaf/contract';
import type { BulkAction, BulkFilterBody } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { type DocumentFilter, findSelected, type LockPurpose, lockSelected, type SelectedDocument, type Selection } from '@sheaf/documents';
import { fieldConditions } from '@sheaf/documents/custom-fields';
import { MAX_BULK_DOCUMENTS } from '@sheaf/vocabulary/limits';
import type { Action, Principal } from '@sheaf/vocabulary/permissions';

interface Chosen {
  readonly ids?: readonly string[] | undefined;
  readonly filter?: BulkFilterBody | undefined;
}

/** The documents that a request about many of them names. */
export const readSelection = async (db: Db, principal: Principal, { ids = [], filter }: Chosen): Promise<Selection> =>
  filter === undefined
    ? { ids: [...new Set(ids)] }
    : { filter: toFilter(filter, await fieldConditions(db, principal, filter.fields, 'filter.fields')) };

/** Which documents a request names, of a list as of an action on many: both take the same filters. `fields` is the condition on custom fields. */
export const toFilter = (filter: BulkFilterBody, fields: DocumentFilter['fields']): DocumentFilter => ({
  status: filter.status,
  sourceId: filter.source_id,
  ownerId: filter.owner_id,
  language: filter.language,
  labelIds: filter.label_ids,
  labelMatch: filter.label_match,
  hasLabels: filter.has_labels,
  mimeTypes: filter.mime_types,
  from: filter.date_from === undefined ? undefined : notBefore(filter.date_from),
  before: filter.date_to === undefined ? undefined : firstAfter(filter.date_to),
  values: filter,
  importedFrom: filter.imported_from,
  correspondentIds: filter.correspondent_ids,
  hasCorrespondent: filter.has_correspondent,
  documentTypeIds: filter.document_type_ids,
  hasDocumentType: filter.has_document_type,
  hasSimilar: filter.has_similar,
  fields,
});

/** What is to be done to the documents that are taken. */
export interface DocumentAction {
  readonly permission: Action;
  readonly purpose: LockPurpose;
}

/** What people do to documents, one or many. */
export const DOCUMENT_ACTIONS = {
  update: { permission: 'documents.update', purpose: 'change' },
  delete: { permission: 'documents.delete', purpose: 'delete' },
  purge: { permission: 'documents.purge', purpose: 'delete' },
  add_labels: { permission: 'documents.update', purpose: 'change' },
  remove_labels: { permission: 'documents.update', purpose: 'change' },
  set_correspondent: { permission: 'documents.update', purpose: 'change' },
  set_document_type: { permission: 'documents.update', purpose: 'change' },
  retry_ocr: { permission: 'ocr.update', purpose: 'read' },
  replace: { permission: 'documents.update', purpose: 'replace' },
} as const satisfies Record<BulkAction | 'update' | 'purge' | 'replace', DocumentAction>;

const missing = (ids: readonly string[]): AppError =>
  ids.length === 1 && ids[0] !== undefined
    ? documentNotFound(ids[0])
    : new AppError('NOT_FOUND', 'Some documents do not exist.', { code: 'DOCUMENT_NOT_FOUND', details: { document_ids: ids } });

const notAllowed = (ids: readonly string[]): AppError => reasonedError('FORBIDDEN', 'not_your_own', { document_ids: ids.slice(0, 100) });

const tooMany = (): AppError => reasonedError('VALIDATION_ERROR', 'too_many_documents', { limit: MAX_BULK_DOCUMENTS });

const refuse = (selection: Selection, found: readonly SelectedDocument[]): void => {
  if (found.length > MAX_BULK_DOCUMENTS) throw tooMany();
  if ('ids' in selection) {
    const there = new Set(found.map(({ id }) => id));
    const absent = selection.ids.filter((id) => !there.has(id));
    if (absent.length > 0) throw missing(absent);
  }
  const refused = found.filter(({ isAllowed }) => !isAllowed).map(({ id }) => id);
  if (refused.length > 0) throw notAllowed(refused);
};

/** The documents of `selection` as they are, for what changes nothing. Throws as `takeDocuments` does. */
export const findDocuments = async (
  db: Db,
  principal: Principal,
  permission: Action,
  selection: Selection,
): Promise<SelectedDocument[]> => {
  const found = await findSelected(db, principal, permission, selection, MAX_BULK_DOCUMENTS + 1);
  refuse(selection, found);
  return found;
};

/**
 * The documents of `selection`, locked until the end of the transaction. What the caller may not read does not exist: of a
 * filter it matches nothing, among ids it throws DOCUMENT_NOT_FOUND. Throws FORBIDDEN when there is one among them that they may
 * read and not act on, VALIDATION_ERROR when there are too many.
 */
export const takeDocuments = async (
  tx: Db,
  principal: Principal,
  action: DocumentAction,
  selection: Selection,
): Promise<SelectedDocument[]> => {
  const found = await findSelected(tx, principal, action.permission, selection, MAX_BULK_DOCUMENTS + 1);
  refuse(selection, found); // before anything is locked, so that nobody holds up what is not theirs
  const ids = found.map(({ id }) => id).toSorted();
  const taken = await lockSelected(tx, principal, action.permission, selection, { ids, purpose: action.purpose });
  refuse(selection, taken);
  return taken;
};
