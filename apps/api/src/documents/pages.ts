import { documentPagesBody, documentPagesQuery } from '@sheaf/contract/documents';
import { getDocument } from '@sheaf/documents';
import { listPages } from '@sheaf/documents/pages';
import { MAX_PAGES_PER_ANSWER } from '@sheaf/vocabulary/limits';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import type { DocumentServices } from './document-services.ts';

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
    query: documentPagesQuery,
    status: 200,
    response: documentPagesBody,
    handle: async ({ params, query: { from, to = from + MAX_PAGES_PER_ANSWER - 1 }, principal }) => {
      const { id } = await getDocument(database.db, principal, params.id);
      const { pages: rows, total } = await listPages(database.db, id, { from, to });
      return { pages: rows, total };
    },
  });
