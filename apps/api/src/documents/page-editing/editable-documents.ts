import { codedError } from '@sheaf/contract';
import type { PageEditRequest } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { getDocument, type LabelledDocument } from '@sheaf/documents';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { DocumentSignatures } from '../document-signatures.ts';
import { DOCUMENT_ACTIONS, findDocuments } from '../select-documents.ts';
import { notEditable, type SourceDocuments } from './page-arranger.ts';

const requireEditable = (document: LabelledDocument): void => {
  const { id, status, mimeType } = document;
  const family = findKindByMimeType(mimeType)?.family;
  if (family !== 'pdf' && family !== 'image') throw notEditable(document, 'unsupported');
  // text, words and number of its pages are known only then
  if (status !== 'completed') throw codedError('DUPLICATE_RESOURCE', 'DOCUMENT_NOT_PROCESSED', { document_id: id, status });
};

/** Throws VERSION_CHANGED unless the document has the version that is meant. */
export const requireVersion = ({ id, version }: Pick<LabelledDocument, 'id' | 'version'>, meant: number | undefined): void => {
  if (meant !== undefined && meant !== version) throw codedError('DUPLICATE_RESOURCE', 'VERSION_CHANGED', { document_id: id, version });
};

/**
 * The documents of the request, which the caller may change and read. Throws DOCUMENT_NOT_FOUND and FORBIDDEN, VERSION_CHANGED,
 * PAGES_NOT_EDITABLE for one without pages that can be moved, and DOCUMENT_NOT_PROCESSED.
 */
export const findEditableDocuments = async (
  db: Db,
  principal: Principal,
  id: string,
  { operations, version }: PageEditRequest,
): Promise<SourceDocuments> => {
  const document = await getDocument(db, principal, id);
  await findDocuments(db, principal, DOCUMENT_ACTIONS.replace.permission, { ids: [id] });
  requireVersion(document, version);
  requireEditable(document);
  const others: LabelledDocument[] = [];
  for (const otherId of appendedIds(id, operations)) {
    const other = await getDocument(db, principal, otherId);
    requireEditable(other);
    others.push(other);
  }
  return [document, ...others];
};

const appendedIds = (id: string, operations: PageEditRequest['operations']): string[] => {
  const ids = operations.flatMap((operation) => (operation.op === 'append' ? [operation.document_id] : []));
  return [...new Set(ids)].filter((otherId) => otherId !== id);
};

/**
 * Throws DOCUMENT_IS_SIGNED where the file has signatures, which no edited one could keep, and PAGES_NOT_EDITABLE where nobody can tell. The
 * file is looked into, as it may have been processed before signatures were looked for.
 */
export const requireUnsigned = async (
  document: LabelledDocument,
  signatures: DocumentSignatures,
  principal: Principal,
  signal: AbortSignal,
): Promise<void> => {
  const found = await signatures.find(document, principal, signal);
  if (!found.ok) throw notEditable(document, found.problem);
  if (found.signatures.length > 0) throw codedError('DUPLICATE_RESOURCE', 'DOCUMENT_IS_SIGNED', { document_id: document.id });
};
