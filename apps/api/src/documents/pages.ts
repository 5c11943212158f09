import { askedPage, toPagination } from '@sheaf/contract';
import { type DocumentPagesBody, documentPageListQuery, documentPagesBody } from '@sheaf/contract/documents';
import { getDocument } from '@sheaf/documents';
import { listPages, type PageList, type PageListRequest } from '@sheaf/documents/pages';
import { MAX_PAGES_PER_ANSWER } from '@sheaf/vocabulary/limits';
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
