import type { Db } from '@sheaf/db';
import { type Counted, countSelection, numbersOf, type PaperlessKind, refuseField } from '@sheaf/paperless';
import { MAX_BULK_IDS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { findDocuments } from '../documents/select-documents.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { findDocumentIds, isFilter, isOfList } from './find-documents.ts';
import { type AnyQuery, anyQuery, requireDocuments } from './query.ts';
import { PAPERLESS_PREFIX, type PaperlessServices, requestBody } from './requests.ts';

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
    response: selectionBody,
    handle: async ({ body, principal }) => {
      const ids = await findChosen(db, principal, body);
      await findDocuments(db, principal, 'documents.read', { ids });
      return countEntries(db, ids);
    },
  });

const filterValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number()])).max(1_000)]);

/** Documents as bulk requests name them: by their ids, or all that pass filters. */
export const chosenDocuments = {
  documents: z.array(z.int()).max(MAX_BULK_IDS).optional(),
  all: z.boolean().nullish(),
  filters: z.record(z.string().max(100), filterValue.nullable()).nullish(),
};

interface ChosenDocuments {
  readonly documents?: readonly number[] | undefined;
  readonly all?: boolean | null | undefined;
  readonly filters?: Readonly<Record<string, z.infer<typeof filterValue> | null>> | null | undefined;
}

/** Of filters, one that is not known would reach more than the sender means. */
const toQuery = (filters: NonNullable<ChosenDocuments['filters']>): AnyQuery => {
  const given = Object.entries(filters).filter(
    ([name, value]) => value !== null && !isOfList(name) && name !== 'page' && name !== 'page_size',
  );
  const unknown = given.find(([name]) => !isFilter(name));
  if (unknown !== undefined) throw refuseField('filters', `${unknown[0]} is not supported.`);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
};

/**
 * The ids of the documents that a request names: those that it lists, or those that the caller may read and that pass its filters. Throws NOT_FOUND
 * where it lists one that does not exist, VALIDATION_ERROR where it has neither, or where it names more than can be changed at once.
 */
const findChosen = async (db: Db, principal: Principal, { documents, all, filters }: ChosenDocuments): Promise<string[]> => {
  if (all !== true) {
    if (documents === undefined) throw refuseField('documents', 'This field is required.');
    return requireDocuments(db, documents);
  }
  const ids = await findDocumentIds(db, principal, toQuery(filters ?? {}), MAX_BULK_IDS + 1);
  if (ids.length > MAX_BULK_IDS) throw refuseField('filters', `More than ${MAX_BULK_IDS} documents match.`);
  return ids;
};

/** The same for a change, which is of one document at least where it lists them. */
export const requireChosen = async (db: Db, principal: Principal, chosen: ChosenDocuments): Promise<string[]> => {
  if (chosen.all !== true && chosen.documents?.length === 0) throw refuseField('documents', 'This list may not be empty.');
  return findChosen(db, principal, chosen);
};
