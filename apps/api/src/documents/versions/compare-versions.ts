import { comparisonBody, comparisonParams, documentPagesQuery } from '@sheaf/contract/documents';
import { getDocument } from '@sheaf/documents';
import { getVersion, listVersionPages } from '@sheaf/documents/versions';
import { MAX_PAGES_PER_ANSWER } from '@sheaf/vocabulary/limits';
import { jsonRoute, type Route } from '../../http/route.ts';
import type { DocumentServices } from '../document-services.ts';
import { comparePages } from './compare-text.ts';

export const compareVersions = ({ database: { db } }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}/versions/{version}/compare/{other}',
    access: 'documents.read',
    summary: `Compare the text of two versions by page, at most ${MAX_PAGES_PER_ANSWER} pages per response`,
    description:
      'Shows by word what has to be removed from the text of `version` and added to it to get that of `other`. Pages are compared with the page of the same number.',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', VERSION_NOT_FOUND: 'NOT_FOUND' },
    params: comparisonParams,
    query: documentPagesQuery,
    status: 200,
    response: comparisonBody,
    handle: async ({ params: { id, version, other }, query: { from, to = from + MAX_PAGES_PER_ANSWER - 1 }, principal }) => {
      const document = await getDocument(db, principal, id);
      const textsOf = async (number: number) => {
        const { pages, total } = await listVersionPages(db, await getVersion(db, document, number), { from, to });
        return { total, texts: new Map(pages.map(({ page, content }) => [page, content])) };
      };
      const [before, after] = await Promise.all([textsOf(version), textsOf(other)]);
      return { pages: await comparePages(before.texts, after.texts), total: Math.max(before.total, after.total) };
    },
  });
