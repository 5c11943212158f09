import { permissionNeeded } from '@sheaf/contract';
import type { PageEditRequest } from '@sheaf/contract/documents';
import { scopeOf } from '@sheaf/vocabulary/permissions';
import type { Actor } from '../../http/actor.ts';
import type { DocumentFileServices, DocumentServices } from '../document-services.ts';
import { findEditableDocuments, requireUnsigned } from './editable-documents.ts';
import { areUnchanged, planPages } from './plan-pages.ts';
import { recordPageEdit } from './record-page-edit.ts';
import { recordPageSplit } from './record-page-split.ts';

type Services = Pick<DocumentServices, 'database' | 'storage'> &
  Pick<DocumentFileServices, 'pageArranger' | 'documentSignatures'> & { readonly ingest: Pick<DocumentServices['ingest'], 'settings'> };

interface Order {
  readonly id: string;
  readonly request: PageEditRequest;
  readonly by: Actor;
  readonly signal: AbortSignal;
}

/**
 * Edits the pages of a document; operations that change nothing do nothing. Returns the ids of the documents that its pages are in now, in
 * their order: its own, unless they were split. Throws FORBIDDEN, and as `findEditableDocuments`, `planPages`, `requireUnsigned`,
 * `PageArranger.arrange`, `recordPageEdit` and `recordPageSplit` do.
 */
export const editDocumentPages = async (services: Services, { id, request, by, signal }: Order): Promise<readonly string[]> => {
  const { database, storage, ingest, pageArranger, documentSignatures } = services;
  const { db } = database;
  const { principal } = by;
  const { operations } = request;
  const documents = await findEditableDocuments(db, principal, id, request);
  const [edited] = documents;
  const lists = planPages(id, operations, new Map(documents.map((one) => [one.id, one.pageCount ?? 0])));
  const isSplit = lists.length > 1;
  if (isSplit && scopeOf(principal.permissions, 'documents.create') === 'none') throw permissionNeeded('documents.create');
  if (!isSplit && areUnchanged(id, edited.pageCount ?? 0, lists[0])) return [id];
  if (request.break_signature !== true) await requireUnsigned(edited, documentSignatures, principal, signal);
  const edit = { by, documents, operations };
  return pageArranger.arrange({ documents, lists, principal, signal }, async (parts) => {
    const deps = { db, storage, settings: ingest.settings.current() };
    const [first] = parts;
    if (isSplit || first === undefined) return recordPageSplit(deps, edit, parts);
    await recordPageEdit(deps, edit, first);
    return [id];
  });
};
