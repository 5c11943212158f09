import { cursorQuery, nextCursor, type PageQuery, paginationBody, toPagination } from '@sheaf/contract';
import type { Cut, CutRequest, Db } from '@sheaf/db';
import type { Action, Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import type { Cursors } from './cursor.ts';
import { type Access, type Input, jsonRoute, type Route, type RouteHead } from './route.ts';

type ListInput<Q, Who extends Access> = Input<undefined, Q, undefined, Who>;
/** The question without the part that is asked for. */
type Filters<Q> = Omit<Q, keyof PageQuery>;

interface ListRoute<Q extends PageQuery, B, More extends object, Who extends Access>
  extends Omit<RouteHead<undefined, Q, Who>, 'method' | 'params' | 'query'> {
  readonly cursors: Cursors;
  /** With `page` and `per_page`, which version 2 has a cursor for. */
  readonly query: z.ZodObject & z.ZodType<Q>;
  /** What version 1 calls the array; version 2 calls all of them `data`. */
  readonly name: string;
  readonly item: z.ZodType<B>;
  /** What stands beside the rows in both versions. */
  readonly more?: { readonly [K in keyof More]: z.ZodType<More[K]> };
  /** A page by its number, and how many rows there are in all. */
  readonly page: (input: ListInput<Q, Who>) => Promise<{ readonly rows: readonly B[]; readonly total: number } & NoInfer<More>>;
  /** What comes behind a position, without counting. */
  readonly cut: (input: ListInput<Filters<Q>, Who>, request: CutRequest) => Promise<Cut<B> & NoInfer<More>>;
}

const MOVING =
  'Rows whose sort field changes during pagination can appear twice or be skipped. To get each row once, sort by `created_at`, which never changes.';

/** A cursor stands between two values, so it matters whether these change. */
const withWordOfSort = (query: z.ZodObject): z.ZodObject => {
  const { sort } = query.shape as { readonly sort?: z.ZodType };
  return sort?.safeParse('created_at').success === true ? query.extend({ sort: sort.describe(MOVING) }) : query;
};

/** GET of a list: by numbered pages in version 1, by cursor in version 2. */
export const listRoute = <Q extends PageQuery, B, const Who extends Access, More extends object = object>({
  cursors,
  name,
  item,
  more,
  query,
  page,
  cut,
  ...head
}: ListRoute<Q, B, More, Who>): Route => {
  const extraFilters: z.ZodRawShape = more ?? {};
  const byPage = jsonRoute({
    ...head,
    method: 'get',
    query,
    response: z.strictObject({ [name]: z.array(item), ...extraFilters, pagination: paginationBody }),
    handle: async (input) => {
      const { rows, total, ...others } = await page(input);
      return { [name]: rows, ...others, pagination: toPagination(input.query, total) };
    },
  });
  const byCursor = jsonRoute({
    ...head,
    method: 'get',
    query: withWordOfSort(query).omit({ page: true, per_page: true }).extend(cursorQuery.shape),
    response: z.strictObject({ data: z.array(item), ...extraFilters, next_cursor: nextCursor }),
    handle: async (input) => {
      const { cursor, limit, ...filters } = input.query as z.infer<typeof cursorQuery>;
      const question = JSON.stringify([head.path, filters]);
      const { rows, next, ...others } = await cut({ ...input, query: filters } as never, { after: cursors.read(question, cursor), limit });
      return { data: rows, ...others, next_cursor: next === undefined ? null : cursors.write(question, next) } as never;
    },
  });
  return { ...byPage, v2: byCursor, isSuperseded: true };
};

interface RowListRoute<Q extends PageQuery, Row, B> extends Omit<ListRoute<Q, B, object, Action>, 'more' | 'page' | 'cut'> {
  readonly list: (
    db: Db,
    principal: Principal,
    request: Filters<Q> & { readonly page: number; readonly perPage: number },
  ) => Promise<{ readonly rows: readonly Row[]; readonly total: number }>;
  readonly listAfter: (db: Db, principal: Principal, request: Filters<Q> & CutRequest) => Promise<Cut<Row>>;
  readonly toBody: (row: Row) => B;
}

/** GET of a list whose rows two queries find by what the request asks for, and that shows each row by itself. */
export const rowListRoute = <Q extends PageQuery, Row, B>({ list, listAfter, toBody, ...head }: RowListRoute<Q, Row, B>): Route =>
  listRoute<Q, B, Action>({
    ...head,
    page: async ({ query: { page, per_page: perPage, ...filters }, principal, context: { db } }) => {
      const { rows, total } = await list(db, principal, { page, perPage, ...filters });
      return { rows: rows.map(toBody), total };
    },
    cut: async ({ query, principal, context: { db } }, part) => {
      const { rows, next } = await listAfter(db, principal, { ...query, ...part });
      return { rows: rows.map(toBody), next };
    },
  });
