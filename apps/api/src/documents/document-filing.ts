import type { BulkRequest, DocumentUpdate } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { type ConfirmedField, confirmFields, givenFieldsOf, type SelectedDocument, setFilingOfDocuments } from '@sheaf/documents';
import { recordEvents } from '@sheaf/events';
import { CORRESPONDENTS, DOCUMENT_TYPES, type FilingKind, requireEntry } from '@sheaf/filing';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { DOCUMENT_ACTIONS, findDocuments } from './select-documents.ts';

/** What a document is filed under. Undefined: as before. */
export interface Filing {
  readonly correspondent?: Entry | null | undefined;
  readonly document_type?: Entry | null | undefined;
}
interface Entry {
  readonly id: string;
  readonly name: string;
}

type Wanted = Pick<DocumentUpdate, 'correspondent_id' | 'document_type_id'>;

const requireOne = async (
  tx: Db,
  kind: FilingKind,
  principal: Principal,
  id: string | null | undefined,
  documentIds: readonly string[],
): Promise<Entry | null | undefined> => (typeof id === 'string' ? requireEntry(tx, kind, principal, id, documentIds) : id);

/**
 * What `wanted` names, locked until the end of the transaction. Call it before the documents are locked. Throws as `requireEntry` and
 * `findDocuments` do: of documents that the caller may not change, nothing more is said.
 */
export const requireFiling = async (tx: Db, principal: Principal, wanted: Wanted, documentIds: readonly string[]): Promise<Filing> => {
  const { correspondent_id: correspondentId, document_type_id: documentTypeId } = wanted;
  if (documentIds.length > 0 && [correspondentId, documentTypeId].some((id) => typeof id === 'string'))
    await findDocuments(tx, principal, DOCUMENT_ACTIONS.update.permission, { ids: documentIds });
  return {
    correspondent: await requireOne(tx, CORRESPONDENTS, principal, correspondentId, documentIds),
    document_type: await requireOne(tx, DOCUMENT_TYPES, principal, documentTypeId, documentIds),
  };
};

/** What of `filing` the row has otherwise, as fields of the row. */
export const changedFiling = (row: Document, { correspondent, document_type: documentType }: Filing) => ({
  ...(correspondent === undefined || (correspondent?.id ?? null) === row.correspondentId
    ? {}
    : { correspondentId: correspondent?.id ?? null }),
  ...(documentType === undefined || (documentType?.id ?? null) === row.documentTypeId ? {} : { documentTypeId: documentType?.id ?? null }),
});

/** The fields that a person sets with this request, also where they were so before: from now on nothing else changes them. */
export const confirmedBy = (update: DocumentUpdate): ConfirmedField[] => [
  ...givenFieldsOf(update),
  ...(update.correspondent_id === undefined ? [] : (['correspondent'] as const)),
  ...(update.document_type_id === undefined ? [] : (['document_type'] as const)),
];

/** Files all of the documents, which are locked, under the entry that the action names, and says so for those that this changes. */
export const setFiling = async (
  tx: Db,
  action: Extract<BulkRequest['action'], 'set_correspondent' | 'set_document_type'>,
  documents: readonly SelectedDocument[],
  filing: Filing,
): Promise<void> => {
  const field = action === 'set_correspondent' ? 'correspondent' : 'document_type';
  const entry = filing[field] ?? null;
  const ids = documents.map(({ id }) => id);
  const changed = await setFilingOfDocuments(tx, ids, field, entry?.id ?? null);
  await confirmFields(tx, ids, [field]);
  await recordEvents(
    tx,
    documents
      .filter(({ id }) => changed.has(id))
      .map(({ id, ownerId }) => ({ event: { type: 'document_updated', document_id: id, changes: { [field]: entry } }, ownerId })),
  );
};
