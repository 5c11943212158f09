import { askedPage, toPagination } from '@sheaf/contract';
import { type DocumentBody, type DocumentPagesBody, documentPageListQuery, documentPagesBody } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { getDocument, type LabelledDocument, toFieldValues } from '@sheaf/documents';
import { type DocumentField, listFieldValues } from '@sheaf/documents/custom-fields';
import { listPages, type PageList, type PageListRequest } from '@sheaf/documents/pages';
import { MAX_PAGES_PER_ANSWER } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { z } from 'zod';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import type { DocumentServices } from './document-services.ts';

/** The pages of a document or a version that a request asks for, as `list` reads them. */
export const answerPages = async (
  query: z.infer<typeof documentPageListQuery>,
  list: (request: PageListRequest) => Promise<PageList>,
): Promise<DocumentPagesBody> => {
  const { from, to, sort, order } = query;
  const page = askedPage(query);
  const cut = page && { limit: page.per_page, offset: (page.page - 1) * page.per_page };
  const last = to ?? (page === undefined ? from + MAX_PAGES_PER_ANSWER - 1 : undefined);
  const { pages: rows, total, matched } = await list({ from, to: last, sort, order, ...cut });
  return { pages: rows, total, ...(page && { pagination: toPagination(page, matched) }) };
};

export const pages = ({ database }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}/pages',
    access: 'documents.read',
    summary: `Get the text of a document by page, at most ${MAX_PAGES_PER_ANSWER} pages per response`,
    description:
      'Pages are available as soon as they are processed. While OCR is run again, the previous pages remain until they are replaced. Pages that do not exist are omitted.',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    query: documentPageListQuery,
    response: documentPagesBody,
    handle: async ({ params, query, principal }) => {
      const { id } = await getDocument(database.db, principal, params.id);
      return answerPages(query, (request) => listPages(database.db, id, request));
    },
  });

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
