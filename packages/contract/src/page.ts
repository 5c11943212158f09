import { DEFAULT_PER_PAGE, MAX_PER_PAGE } from '@sheaf/vocabulary/limits';
import type { SortOrder } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { rule } from './issue.ts';

/**
 * An id that a request carries, in lower case whatever the client wrote: PostgreSQL takes both spellings for the same row, and a
 * comparison with the caller's own id does not.
 */
export const rowId = z.uuid().toLowerCase();

export const pageQuery = z.strictObject({
  page: z.coerce.number().int().min(1).max(1_000_000).default(1).describe('Page number, starting at 1'),
  per_page: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_PER_PAGE)
    .default(DEFAULT_PER_PAGE)
    .describe(`Rows per page; more than ${MAX_PER_PAGE} are cut to that, which X-Per-Page-Limit in the response tells`),
});
export type PageQuery = z.infer<typeof pageQuery>;

/** How a list is sorted where nothing is said. */
interface DefaultSort<F extends string> {
  readonly sort: F;
  readonly order: SortOrder;
}

/** The parameters of a list that can be sorted by `fields`. */
export const sortQuery = <const F extends string>(fields: readonly F[], { sort, order }: DefaultSort<NoInfer<F>>) => ({
  sort: z.enum(fields as readonly [F, ...F[]]).default(sort as never),
  order: z.enum(['asc', 'desc']).default(order),
});

const { page, per_page: perPage } = pageQuery.shape;

/** The parameters of a list inside a resource, such as the notes of a document: without `page` and `per_page` the answer has all rows. */
export const partQuery = <const F extends string>(fields: readonly F[], first: DefaultSort<NoInfer<F>>) =>
  z.strictObject({
    page: page.unwrap().optional().describe('Page number, starting at 1; without `page` and `per_page` the response has all rows'),
    per_page: perPage
      .unwrap()
      .optional()
      .describe(`Rows per page: ${DEFAULT_PER_PAGE} where only \`page\` is given, at most ${MAX_PER_PAGE}`),
    ...sortQuery(fields, first),
  });

/** The page that a request for a list inside a resource asks for; undefined where it asks for all rows. */
export const askedPage = ({
  page: number,
  per_page: rows,
}: Readonly<Partial<Record<keyof PageQuery, number | undefined>>>): PageQuery | undefined =>
  number === undefined && rows === undefined ? undefined : { page: number ?? 1, per_page: rows ?? DEFAULT_PER_PAGE };

/** What a list is narrowed to: the rows with a text that contains this one. */
export const containedText = (maxCharacters: number) =>
  z
    .string()
    .max(maxCharacters)
    .refine((text) => !text.includes('\0'), rule('nul'));

export const paginationBody = z
  .strictObject({
    page: z.int(),
    per_page: z.int(),
    total: z.int(),
    total_pages: z.int(),
    has_next: z.boolean(),
    has_prev: z.boolean(),
  })
  .meta({ id: 'Pagination' });
export type Pagination = z.infer<typeof paginationBody>;

/** In the answer of a list inside a resource. */
export const askedPagination = paginationBody.optional().describe('Only where `page` or `per_page` is given');

export const toPagination = ({ page, per_page }: PageQuery, total: number): Pagination => {
  const totalPages = Math.ceil(total / per_page);
  return { page, per_page, total, total_pages: totalPages, has_next: page < totalPages, has_prev: page > 1 };
};

/** A cursor holds what the order of a list compares, such as a path. */
const MAX_CURSOR_CHARACTERS = 12_000;

/** How lists page from version 2 on. */
export const cursorQuery = z.strictObject({
  cursor: z
    .string()
    .max(MAX_CURSOR_CHARACTERS)
    .optional()
    .describe('`next_cursor` of the previous response, with the same parameters; omit it for the first page'),
  limit: z.coerce.number().int().min(1).max(MAX_PER_PAGE).default(DEFAULT_PER_PAGE).describe('Maximum number of rows'),
});

export const nextCursor = z.string().nullable().describe('Pass it as `cursor` to get the next page; null on the last page');
