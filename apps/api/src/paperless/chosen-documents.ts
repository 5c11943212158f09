import type { Db } from '@sheaf/db';
import { MAX_BULK_IDS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { findDocumentIds, isFilter, isOfList } from './find-documents.ts';
import { type AnyQuery, refuseField, requireDocuments } from './query.ts';

const filterValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number()])).max(1_000)]);

/** Documents as bulk requests name them: by their ids, or all that pass filters. */
export const chosenDocuments = {
  documents: z.array(z.int()).max(MAX_BULK_IDS).optional(),
  all: z.boolean().nullish(),
  filters: z.record(z.string().max(100), filterValue.nullable()).nullish(),
};

export interface ChosenDocuments {
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
export const findChosen = async (db: Db, principal: Principal, { documents, all, filters }: ChosenDocuments): Promise<string[]> => {
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
