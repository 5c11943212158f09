import { AppError, plainIssue, validationError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { findByNumbers, type PaperlessKind } from '@sheaf/paperless';
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

/** Refuses a value of a field, in words of ours: Paperless has no codes. */
export const refuseField = (field: string, message: string): AppError =>
  validationError(`${field}: ${message}`, { issues: [plainIssue(field, message)] });

export const isTrue = (text: string | undefined): boolean =>
  text !== undefined && ['true', '1', 't', 'yes', 'on'].includes(text.toLowerCase());

const FALSE: ReadonlySet<string> = new Set(['false', '0', 'f', 'no', 'off']);

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

/** Throws VALIDATION_ERROR for what is neither true nor false. */
export const readBoolean = (name: string, text: string): boolean => {
  if (isTrue(text)) return true;
  if (FALSE.has(text.toLowerCase())) return false;
  throw refuseField(name, 'must be true or false');
};

/** Throws VALIDATION_ERROR for what is no integer. */
export const readInteger = (name: string, text: string): number => {
  if (!/^-?\d{1,10}$/.test(text.trim())) throw refuseField(name, 'must be an integer');
  return Number(text);
};

const MAX_LISTED = 1_000;

/** Integers with commas between them, as one parameter or several. */
export const readIntegers = (name: string, value: string | readonly string[]): number[] => {
  const texts = [value]
    .flat()
    .flatMap((text) => text.split(',', MAX_LISTED + 1))
    .filter((text) => text.trim() !== '');
  if (texts.length > MAX_LISTED) throw refuseField(name, `must not have more than ${MAX_LISTED} values`);
  return texts.map((text) => readInteger(name, text));
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
