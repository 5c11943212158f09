import type { DocumentBody } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { type LabelledDocument, toFieldValues } from '@sheaf/documents';
import { type DocumentField, listFieldValues } from '@sheaf/documents/custom-fields';
import type { Principal } from '@sheaf/vocabulary/permissions';

/** The documents of a list as they go over the wire. What stands in other tables is read once for all of them. */
export const presentDocuments = async (db: Db, principal: Principal, documents: readonly LabelledDocument[]): Promise<DocumentBody[]> => {
  const fieldsOf = await listFieldValues(
    db,
    principal,
    documents.map(({ id }) => id),
  );
  return documents.map((document) => toDocumentBody(document, { fields: fieldsOf(document.id) }));
};

/** One document; `content` is the excerpt unless the whole text is given. */
export const presentDocument = async (
  db: Db,
  principal: Principal,
  document: LabelledDocument,
  content?: string,
): Promise<DocumentBody> => {
  const fieldsOf = await listFieldValues(db, principal, [document.id]);
  return toDocumentBody(document, { fields: fieldsOf(document.id), ...(content === undefined ? {} : { content }) });
};

/** The key that lists sort by is the whole name. */
const toNamed = (id: string | null, name: string | null): { id: string; name: string } | null =>
  id === null || name === null ? null : { id, name };
/** What does not stand in the row of a document. */
interface DocumentParts {
  readonly fields: readonly DocumentField[];
  readonly content?: string;
}

/** A document as it goes over the wire; `content` is the excerpt unless the whole text is given. */
export const toDocumentBody = (document: LabelledDocument, { fields, content = document.contentExcerpt }: DocumentParts): DocumentBody => ({
  ...toFieldValues(document),
  content,
  labels: [...document.labels],
  metadata: document.metadata,
  correspondent: toNamed(document.correspondentId, document.correspondentKey),
  document_type: toNamed(document.documentTypeId, document.documentTypeKey),
  fields: Object.fromEntries(fields.flatMap(({ name, value }) => (value === null ? [] : [[name, value]]))),
  empty_fields: fields.flatMap(({ name, value }) => (value === null ? [name] : [])),
  error: document.errorCode === null ? null : { code: document.errorCode, message: document.errorMessage ?? '' },
});
