import { documentPagesBody, documentPagesQuery, MAX_PAGES_PER_ANSWER } from '@sheaf/contract';
import { getDocument, listPages } from '@sheaf/db';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import type { DocumentServices } from './document-services.ts';

export const pages = ({ database }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}/pages',
    access: 'documents.read',
    summary: `The text of a document page by page, at most ${MAX_PAGES_PER_ANSWER} pages an answer`,
    description:
      'Pages can be had as soon as they are read, while others still wait. While a document is read again its old pages stay until the new ones are there. Pages that do not exist are left out.',
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
