import { AppError } from '@sheaf/contract';
import { z } from 'zod';
import type { RequestContext } from '../http/route.ts';
import { type AnyQuery, lastOf } from './query.ts';
import { PAPERLESS_PREFIX } from './requests.ts';

const DEFAULT_PAGE_SIZE = 25;
const MAX_PAGE = 1_000_000;

export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
}

const invalidPage = (): AppError => new AppError('NOT_FOUND', 'Invalid page.');

/** As Paperless reads them: a size that makes no sense is the usual one, a page that makes no sense is not there. Throws NOT_FOUND. */
export const readPage = (query: AnyQuery, maxPageSize: number): PageRequest => {
  const size = Number(lastOf(query, 'page_size') ?? DEFAULT_PAGE_SIZE);
  const page = Number(lastOf(query, 'page') ?? 1);
  if (!Number.isInteger(page) || page < 1 || page > MAX_PAGE) throw invalidPage();
  return { page, perPage: Number.isInteger(size) && size > 0 ? Math.min(size, maxPageSize) : DEFAULT_PAGE_SIZE };
};

export const pageBody = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    count: z.int(),
    next: z.string().nullable(),
    previous: z.string().nullable(),
    all: z.array(z.int()),
    results: z.array(item),
  });

interface Listed<T> {
  readonly count: number;
  readonly all: readonly number[];
  readonly results: readonly T[];
}

/** Where a list is asked for: the address of its pages. */
export interface Asked {
  readonly path: string;
  readonly query: AnyQuery;
  readonly context: Pick<RequestContext, 'headers' | 'connection'>;
}

const addressOf = ({ path, query, context: { headers, connection } }: Asked, page: number): string => {
  const parameters = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (name === 'page' ? [] : [value].flat().map((each): [string, string] => [name, each]))),
  );
  if (page > 1) parameters.set('page', String(page));
  const search = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  return `${connection.isSecure ? 'https' : 'http'}://${headers.host ?? 'localhost'}${PAPERLESS_PREFIX}${path}/${search}`;
};

/** One page with the addresses of those beside it. Throws NOT_FOUND for a page behind the last one. */
export const toPage = <T>({ count, all, results }: Listed<T>, { page, perPage }: PageRequest, asked: Asked) => {
  const pages = Math.max(1, Math.ceil(count / perPage));
  if (page > pages) throw invalidPage();
  return {
    count,
    next: page < pages ? addressOf(asked, page + 1) : null,
    previous: page > 1 ? addressOf(asked, page - 1) : null,
    all: [...all],
    results: [...results],
  };
};
