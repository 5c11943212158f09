import type { Db } from '@sheaf/db';
import { type Counted, countSelection, numbersOf, type PaperlessKind } from '@sheaf/paperless';
import { z } from 'zod';
import { findDocuments } from '../documents/select-documents.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { chosenDocuments, findChosen } from './chosen-documents.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { anyQuery } from './query.ts';
import { requestBody } from './request-body.ts';
import { PAPERLESS_PREFIX } from './requests.ts';

const counts = z.array(z.strictObject({ id: z.int(), document_count: z.int() }));

/** How many documents have each entry. */
export const selectionBody = z.strictObject({
  selected_correspondents: counts,
  selected_tags: counts,
  selected_document_types: counts,
  selected_storage_paths: counts,
  selected_custom_fields: counts,
});

/** What the documents with these ids have, as `selectionBody`. */
export const countEntries = async (db: Db, ids: readonly string[]): Promise<z.infer<typeof selectionBody>> => {
  const { tags, correspondents, documentTypes, customFields } = await countSelection(db, ids);
  const kinds = [
    ['tag', tags],
    ['correspondent', correspondents],
    ['document_type', documentTypes],
    ['custom_field', customFields],
  ] as const;
  const numberOf = await numbersOf(
    db,
    kinds.flatMap(([kind, counted]) => counted.map(({ id }) => ({ kind, id }))),
  );
  const toCounts = (kind: PaperlessKind, counted: readonly Counted[]) =>
    counted.map(({ id, documents: count }) => ({ id: numberOf(kind, id), document_count: count }));
  return {
    selected_correspondents: toCounts('correspondent', correspondents),
    selected_tags: toCounts('tag', tags),
    selected_document_types: toCounts('document_type', documentTypes),
    selected_storage_paths: [],
    selected_custom_fields: toCounts('custom_field', customFields),
  };
};

export const selectionData = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'post',
    path: `${PAPERLESS_PREFIX}/documents/selection_data`,
    access: 'documents.read',
    isQuery: true,
    summary: 'Count what documents have',
    query: anyQuery,
    body: requestBody(chosenDocuments),
    status: 200,
    response: selectionBody,
    handle: async ({ body, principal }) => {
      const ids = await findChosen(db, principal, body);
      await findDocuments(db, principal, 'documents.read', { ids });
      return countEntries(db, ids);
    },
  });
