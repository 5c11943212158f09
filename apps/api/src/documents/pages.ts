import { documentPagesBody, MAX_PAGES_PER_ANSWER } from '@sheaf/contract';
import { getDocument, listPages } from '@sheaf/db';
import { z } from 'zod';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute } from '../http/route.ts';

const pageNumber = z.coerce.number().int().min(1).max(1_000_000);

const query = z
  .strictObject({
    from: pageNumber.default(1).describe('The first page, from 1'),
    to: pageNumber.optional().describe(`The last page; without it the first ${MAX_PAGES_PER_ANSWER} from \`from\``),
  })
  .superRefine(({ from, to = from }, context) => {
    const refuse = (message: string): void => context.addIssue({ code: 'custom', path: ['to'], message });
    if (to < from) refuse('must not be less than from');
    if (to - from >= MAX_PAGES_PER_ANSWER) refuse(`reaches too far: at most ${MAX_PAGES_PER_ANSWER} pages are answered at once`);
  });

export const pages = jsonRoute({
  method: 'get',
  path: '/api/documents/{id}/pages',
  access: 'documents.read',
  summary: `The text of a document page by page, at most ${MAX_PAGES_PER_ANSWER} pages an answer`,
  description:
    'Pages can be had as soon as they are read, while others still wait. While a document is read again its old pages stay until the new ones are there. Pages that do not exist are left out.',
  errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
  params: idParams,
  query,
  status: 200,
  response: documentPagesBody,
  handle: async ({ params, query: { from, to = from + MAX_PAGES_PER_ANSWER - 1 }, principal }, { database }) => {
    const { id } = await getDocument(database.db, principal, params.id);
    const { pages: rows, total } = await listPages(database.db, id, { from, to });
    return { pages: rows, total };
  },
});
