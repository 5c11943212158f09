import { AppError, type Issue, invalidInput, rowId, toIssues, withoutOptionalNulls } from '@sheaf/contract';
import { MAX_PER_PAGE } from '@sheaf/vocabulary/limits';
import type { Request, Response } from 'express';
import { z } from 'zod';

/** What is in the answer where fewer rows were given than were asked for. */
const LIMIT_HEADER = 'X-Per-Page-Limit';

const isTooMany = (perPage: unknown): boolean =>
  (typeof perPage === 'string' || typeof perPage === 'number') && Number(perPage) > MAX_PER_PAGE;

/** Parameters and form fields without the empty ones: they are as if they were not there. */
export const withoutEmpty = (given: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));

/** The parameters of a request as its route reads them. */
export const givenParameters = ({ query }: Pick<Request, 'query'>, response: Response): Record<string, unknown> =>
  withRowLimit(withoutEmpty(query), response);

/** Cuts the rows that are asked for to as many as a page has, which the answer tells. */
export const withRowLimit = <T>(given: T, response: Response): T => {
  if (typeof given !== 'object' || given === null || !isTooMany((given as { readonly per_page?: unknown }).per_page)) return given;
  response.setHeader(LIMIT_HEADER, MAX_PER_PAGE);
  return { ...given, per_page: MAX_PER_PAGE };
};

/**
 * `value` as `schema` reads it; null for an optional field is as if it were absent. Throws VALIDATION_ERROR with an issue for each mistake, and those that `alsoWrong` finds in other fields, so
 * that all are told at once.
 */
export const parseInput = <T>(
  schema: z.ZodType<T>,
  value: unknown,
  what: 'query' | 'body',
  alsoWrong: (value: unknown) => readonly Issue[] = () => [],
): T => {
  const result = schema.safeParse(withoutOptionalNulls(schema, value), { reportInput: true });
  if (result.success) return result.data;
  const ownIssues = toIssues(result.error);
  const issues = [...ownIssues, ...alsoWrong(value).filter(({ path }) => !ownIssues.some((issue) => issue.path === path))];
  throw invalidInput(what, issues);
};

/** The parameters of a path. What cannot name a row is a row that does not exist. */
export const parseParams = <T>(schema: z.ZodType<T>, value: unknown): T => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new AppError('NOT_FOUND', 'This resource does not exist.', { cause: result.error });
};

export const idParams = z.strictObject({ id: rowId });
