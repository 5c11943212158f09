import { isDeepStrictEqual } from 'node:util';
import { recordAudit } from '@sheaf/accounts/users';
import { codedError, permissionNeeded } from '@sheaf/contract';
import { type DocumentUpdate, deleteDocumentQuery, documentBody, documentUpdate } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { changedFieldsOf, confirmFields, getDocument, lockDocument, readWholeDocument, updateDocument } from '@sheaf/documents';
import { changeFieldValues } from '@sheaf/documents/custom-fields';
import { listLabelNames, replaceLabels, requireLabelsByIdOrName } from '@sheaf/documents/labels';
import { editText, readContent } from '@sheaf/documents/pages';
import { UNIQUE_FIELD_ERRORS } from '@sheaf/documents/unique-fields';
import { recordEvent } from '@sheaf/events';
import { indexDocument } from '@sheaf/search';
import { confirmedNameOf } from '@sheaf/vocabulary/custom-fields';
import { SERVICE_METADATA_KEYS } from '@sheaf/vocabulary/documents';
import { CONTENT_EXCERPT_CHARACTERS } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { Actor } from '../http/authenticate.ts';
import { idParams } from '../http/parse-input.ts';
import { type ChangeRoutes, changeRoutes, emptyRoute, jsonRoute, type Route } from '../http/route.ts';
import { deleteRows, deletionOf, removeBytes } from './bulk-actions.ts';
import { changedFiling, confirmedBy, type Filing, requireFiling } from './document-filing.ts';
import type { DocumentServices } from './document-services.ts';
import { presentDocument } from './present-documents.ts';
import { DOCUMENT_ACTIONS, takeDocuments } from './select-documents.ts';

const isOfService = ([key]: readonly [string, unknown]): boolean => SERVICE_METADATA_KEYS.includes(key);

/** What the service wrote stays, whatever is given. */
const newMetadata = (row: Document, given: DocumentUpdate['metadata']): Document['metadata'] =>
  given === undefined
    ? row.metadata
    : Object.fromEntries([
        ...Object.entries(given).filter((entry) => !isOfService(entry)),
        ...Object.entries(row.metadata).filter(isOfService),
      ]);

/** Title and metadata of `update`, where the row has them otherwise. */
const changedTexts = (row: Document, { title, ...update }: DocumentUpdate) => {
  const metadata = newMetadata(row, update.metadata);
  return {
    ...(title === undefined || title === row.title ? {} : { title }),
    ...(isDeepStrictEqual(metadata, row.metadata) ? {} : { metadata }),
  };
};

/** The names of all its labels, if `wanted` are not those it has. */
const changeLabels = async (
  tx: Db,
  principal: Principal,
  id: string,
  wanted: readonly string[] | undefined,
): Promise<string[] | undefined> => {
  if (wanted === undefined) return undefined;
  const labels = await requireLabelsByIdOrName(tx, principal, wanted, [id]);
  const isChanged = await replaceLabels(
    tx,
    id,
    labels.map((label) => label.id),
  );
  return isChanged ? (await listLabelNames(tx, [id])).get(id) : undefined;
};

/**
 * Changes row, labels and index entry of a document that the caller has taken, and says so, in one transaction. What is as wished already is no
 * change.
 */
export const changeDocument = async (tx: Db, by: Actor, id: string, update: DocumentUpdate, filing: Filing): Promise<void> => {
  const { principal } = by;
  const row = await lockDocument(tx, id);
  const texts = changedTexts(row, update);
  const { columns, published } = changedFieldsOf(row, update);
  const filed = changedFiling(row, filing);
  await confirmFields(tx, [id], confirmedBy(update));
  const labels = await changeLabels(tx, principal, id, update.labels);
  const given = await changeFieldValues(tx, principal, id, update);
  await confirmFields(tx, [id], given.fieldIds.map(confirmedNameOf));
  const editedPages = await changeText(tx, row, update.content, by);
  const changes = {
    ...texts,
    ...published,
    ...(filed.correspondentId === undefined ? {} : { correspondent: filing.correspondent }),
    ...(filed.documentTypeId === undefined ? {} : { document_type: filing.document_type }),
    ...(labels === undefined ? {} : { labels }),
    ...given.changes,
    ...(editedPages.length === 0 ? {} : { edited_pages: editedPages.slice(0, 100) }),
  };
  if (Object.keys(changes).length === 0) return;
  await updateDocument(tx, id, { ...texts, ...columns, ...filed }, principal);
  if (texts.title !== undefined || editedPages.length > 0) await indexDocument(tx, id);
  await recordEvent(tx, { type: 'document_updated', document_id: id, changes }, row.ownerId);
};

export const update = ({ database: { db } }: DocumentServices): ChangeRoutes =>
  changeRoutes({
    path: '/api/documents/{id}',
    access: 'documents.update',
    summary: 'Change a document',
    description:
      'Only the given fields change; PUT and PATCH are equivalent. `labels` replaces all labels: IDs or names of labels visible to the caller (requires labels.read) or already on the document. `metadata` replaces all metadata. `correspondent_id` and `document_type_id` are IDs of entries visible to the caller (requires labels.read) or already on the document. Automatic extraction and rules never change a date, archive number, correspondent or type that was set here, not even to null. `fields` changes the named custom fields only, which rules then leave alone; null removes a field with its value. `empty_fields` names custom fields that the document is to have even without a value: it adds those that are missing and changes no value, and a field that is null in `fields` stays without one. `content` replaces the text: form feeds part its pages, of which those that change have the origin `edited` and keep their text when OCR runs again. Without form feeds, the whole text is that of page 1. The beginning of the text, as lists show it, changes nothing. It is refused with 409 while the document is being processed. Unchanged values create no event.',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', ...UNIQUE_FIELD_ERRORS, DOCUMENT_IS_PROCESSING: 'DUPLICATE_RESOURCE' },
    params: idParams,
    body: documentUpdate,
    response: documentBody,
    present: async ({ params, principal }, reader) => {
      const document = await readWholeDocument(reader, principal, params.id);
      return presentDocument(reader, principal, document, document.content);
    },
    handle: async ({ params, body, principal, context }) => {
      const { id } = params;
      await db.transaction(async (tx) => {
        const filing = await requireFiling(tx, principal, body, [id]);
        await takeDocuments(tx, principal, DOCUMENT_ACTIONS.update, { ids: [id] });
        await context.requireMatch(tx);
        await changeDocument(tx, { principal, address: context.address }, id, body, filing);
      });
      return presentDocument(db, principal, await getDocument(db, principal, id), await readContent(db, id));
    },
  });

/**
 * Writes `text` in place of that of a document that is locked, with an entry in the audit log; returns the pages that changed. Throws
 * DOCUMENT_IS_PROCESSING where pages are still to come.
 */
const changeText = async (tx: Db, document: Document, text: string | undefined, { principal, address }: Actor): Promise<number[]> => {
  if (text === undefined) return [];
  const pages = await editText(tx, document, text, CONTENT_EXCERPT_CHARACTERS);
  if (pages.length === 0) return [];
  if (document.status === 'pending' || document.status === 'processing')
    throw codedError('DUPLICATE_RESOURCE', 'DOCUMENT_IS_PROCESSING', { document_id: document.id, document_ids: [document.id] });
  await recordAudit(tx, {
    actor: principal,
    address,
    action: 'document.text_edited',
    outcome: 'success',
    subject: { type: 'document', id: document.id },
    details: { pages: pages.slice(0, 100), page_count: pages.length },
  });
  return pages;
};

export const read = ({ database }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}',
    access: 'documents.read',
    summary: 'Get a document with its full text',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    response: documentBody,
    handle: async ({ params, principal }) => {
      const document = await readWholeDocument(database.db, principal, params.id);
      return presentDocument(database.db, principal, document, document.content);
    },
  });

export const remove = (services: DocumentServices): Route =>
  emptyRoute({
    method: 'delete',
    path: '/api/documents/{id}',
    access: 'documents.delete',
    summary: 'Move a document to the trash',
    description: 'The document stays in the trash for TRASH_RETENTION_DAYS. `permanent=true` removes it at once with its files.',
    done: 'Moved to the trash, or removed',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    query: deleteDocumentQuery,
    handle: async ({ params, query: { permanent: isPermanent = false }, principal, context: { address } }) => {
      const action = deletionOf(isPermanent);
      if (scopeOf(principal.permissions, action.permission) === 'none') throw permissionNeeded(action.permission);
      const documents = await services.database.db.transaction(async (tx) => {
        const taken = await takeDocuments(tx, principal, action, { ids: [params.id] });
        await deleteRows(tx, taken, { principal, address }, { isPermanent });
        return taken;
      });
      if (isPermanent) await removeBytes(services, documents);
    },
  });
