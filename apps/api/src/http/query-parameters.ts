import { MAX_PER_PAGE } from '@sheaf/vocabulary/limits';
import type { Request, Response } from 'express';

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
