import type { Db } from '@sheaf/db';
import { numbersOf, textsOfDocuments } from '@sheaf/paperless';
import { jsonRoute, type Route } from '../http/route.ts';
import { type PaperlessDocument, paperlessDocument } from './bodies.ts';
import { type FoundDocuments, findDocuments } from './find-documents.ts';
import { pageBody, readPage, toPage } from './paging.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { presentDocuments, type Shown } from './present-documents.ts';
import { type AnyQuery, anyQuery, isTrue, lastOf } from './query.ts';
import { PAPERLESS_PREFIX } from './requests.ts';
import type { Hit } from './search-hits.ts';
import { countEntries, selectionBody } from './selection-data.ts';

/** Documents of one page. */
const MAX_PAGE_SIZE = 1_000;

export const readShown = (query: AnyQuery): Shown => ({
  fullPerms: isTrue(lastOf(query, 'full_perms')),
  fields:
    lastOf(query, 'fields') === undefined
      ? undefined
      : new Set(
          lastOf(query, 'fields')
            ?.split(',', 100)
            .map((name) => name.trim()),
        ),
});

/** The texts of the documents; none where their beginnings are enough. */
const readTexts = async (
  db: Db,
  documents: FoundDocuments['documents'],
  { fields }: Shown,
  query: AnyQuery,
): Promise<ReadonlyMap<string, string> | undefined> => {
  if (isTrue(lastOf(query, 'truncate_content')) || fields?.has('content') === false) return undefined;
  return textsOfDocuments(
    db,
    documents.map(({ id }) => id),
  );
};

const withHits = (
  bodies: readonly PaperlessDocument[],
  documents: FoundDocuments['documents'],
  hits: readonly Hit[] | undefined,
): PaperlessDocument[] => {
  const ranks = new Map(hits?.map(({ id, score }, rank) => [id, { score, rank }]));
  return bodies.map((body, n) => {
    const hit = ranks.get(documents[n]?.id ?? '');
    return hit === undefined ? body : { ...body, __search_hit__: { ...hit, highlights: '', note_highlights: '' } };
  });
};

export const list = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/documents`,
    access: 'documents.read',
    summary: 'List documents',
    query: anyQuery,
    status: 200,
    response: pageBody(paperlessDocument).extend({ selection_data: selectionBody.optional() }),
    handle: async ({ query, principal, context }) => {
      const page = readPage(query, MAX_PAGE_SIZE);
      const { count, ids, documents, hits } = await findDocuments(db, principal, query, page);
      const shown = readShown(query);
      const texts = await readTexts(db, documents, shown, query);
      const bodies = withHits(await presentDocuments(db, principal, documents, { ...shown, texts }), documents, hits);
      const numberOf = await numbersOf(
        db,
        ids.map((id) => ({ kind: 'document', id })),
      );
      const listed = { count, all: ids.map((id) => numberOf('document', id)), results: bodies };
      const listPage = toPage(listed, page, { path: '/documents', query, context });
      // version 3 of the web client asks for both at once
      if (!isTrue(lastOf(query, 'include_selection_data'))) return listPage;
      return { ...listPage, selection_data: await countEntries(db, ids) };
    },
  });
