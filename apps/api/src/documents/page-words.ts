import { codedError } from '@sheaf/contract';
import { pageParams, pageWordsBody } from '@sheaf/contract/documents';
import { getDocument } from '@sheaf/documents';
import { readPageWords } from '@sheaf/documents/pages';
import { jsonRoute, type Route } from '../http/route.ts';
import type { DocumentServices } from './document-services.ts';

export const pageWords = ({ database: { db } }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}/pages/{page}/words',
    access: 'documents.read',
    summary: 'Get the words of a page with their positions',
    description:
      'Words of scanned pages and of text layers. The list is empty where no positions are known: text files, and pages processed by a version that did not store them. Running OCR again stores them.',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', PAGE_NOT_FOUND: 'NOT_FOUND' },
    params: pageParams,
    status: 200,
    response: pageWordsBody,
    handle: async ({ params: { id, page }, principal }) => {
      const document = await getDocument(db, principal, id);
      const found = await readPageWords(db, document.id, page);
      if (found === undefined) throw codedError('NOT_FOUND', 'PAGE_NOT_FOUND', { document_id: id, page });
      const { width = null, height = null, origin, words = [] } = found;
      return {
        page,
        width,
        height,
        origin,
        words: words.map(({ text, start = 0, box, confidence }) => ({ text, start, ...box, confidence })),
      };
    },
  });
