import type { DocumentBody } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import type { LabelledDocument } from '@sheaf/documents';
import { listFieldValues } from '@sheaf/documents/custom-fields';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { toDocumentBody } from './document-body.ts';

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
