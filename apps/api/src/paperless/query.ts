import { AppError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { findByNumbers, type PaperlessKind, refuseField } from '@sheaf/paperless';
import { z } from 'zod';

/** Parameters as Django takes them; those that are repeated come as a list. */
export const anyQuery = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
export type AnyQuery = z.infer<typeof anyQuery>;

export const numberParams = z.strictObject({ id: z.string().regex(/^\d{1,10}$/) });

/** Of parameters that are repeated, the last one counts. */
export const lastOf = (query: AnyQuery, name: string): string | undefined => {
  const value = Object.hasOwn(query, name) ? query[name] : undefined;
  return Array.isArray(value) ? value.at(-1) : value;
};

/** What every list takes; `_` only keeps an answer from being cached. */
const OF_EVERY_LIST: ReadonlySet<string> = new Set(['page', 'page_size', '_']);

/**
 * Throws VALIDATION_ERROR that names the first parameter that the list does not know. Django ignores these, so that a filter that is misspelled, or new, finds
 * documents that were not meant.
 */
export const requireKnown = (query: AnyQuery, isKnown: (name: string) => boolean): void => {
  for (const name of Object.keys(query)) {
    const isFormat = name === 'format' && lastOf(query, name) === 'json';
    if (!OF_EVERY_LIST.has(name) && !isFormat && !isKnown(name)) throw refuseField(name, 'is not supported');
  }
};

/** What one object that was read is presented as. */
export const presentOne = <T>([one]: readonly T[]): T => {
  if (one === undefined) throw new Error('what was read is not presented');
  return one;
};

export const notThere = (): AppError => new AppError('NOT_FOUND', 'Not found.');

/** The object with a number. Throws NOT_FOUND where there is none. */
export const withNumber = <T extends { readonly id: number }>(objects: readonly T[], number: number): T => {
  const found = objects.find(({ id }) => id === number);
  if (found === undefined) throw notThere();
  return found;
};

/** The id of the object that a path names. Throws NOT_FOUND; whether the caller may read it is for others to find out. */
export const requireNumber = async (db: Db, kind: PaperlessKind, { id }: { readonly id: string }): Promise<string> => {
  const found = (await findByNumbers(db, kind, [Number(id)])).get(Number(id));
  if (found === undefined) throw notThere();
  return found;
};

/** The ids of the objects that a field of a body names. Throws VALIDATION_ERROR where there is one that does not exist. */
export const requireNumbers = async (db: Db, kind: PaperlessKind, numbers: readonly number[], field: string): Promise<string[]> => {
  const found = await findByNumbers(db, kind, numbers);
  return numbers.map((number) => {
    const id = found.get(number);
    if (id === undefined) throw refuseField(field, `Invalid pk "${number}" - object does not exist.`);
    return id;
  });
};

/** The ids of documents that a body names. Throws NOT_FOUND where there is one that does not exist, as for one that the caller may not read. */
export const requireDocuments = async (db: Db, numbers: readonly number[]): Promise<string[]> => {
  const found = await findByNumbers(db, 'document', numbers);
  const ids = [...new Set(numbers)].map((number) => found.get(number));
  if (ids.includes(undefined)) throw notThere();
  return ids.filter((id) => id !== undefined);
};
