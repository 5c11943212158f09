import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  askedPage,
  cursorQuery,
  nextCursor,
  type PageQuery,
  type Pagination,
  paginationBody,
  plainIssue,
  type Secret,
  toPagination,
  validationError,
} from '@sheaf/contract';
import type { Cut, CutRequest, Db, Position } from '@sheaf/db';
import type { Action, Principal } from '@sheaf/vocabulary/permissions';
import type { SortOrder } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { type Access, type Input, jsonRoute, type Route, type RouteHead } from './route.ts';

const position = z.array(z.string().nullable()).min(1).max(8);
/** Half of SHA-256: a cursor opens no door, so it only has to be hard to make up. */
const SEAL_BYTES = 16;

const notACursor = (): Error =>
  validationError('Invalid query: cursor: does not belong to this list', {
    issues: [plainIssue('cursor', 'must be the next_cursor of a response with the same parameters; start again without it')],
  });

/**
 * Writes positions in lists as texts that clients pass on as they are. Each is sealed with the question that it belongs to, so that what
 * comes back is a position of ours in this very list and needs no further check before it goes into a query.
 */
export class Cursors {
  readonly #secret: Secret;

  constructor(secret: Secret) {
    this.#secret = secret;
  }

  /** The cursor of a position in the list that `question` asks for. */
  write(question: string, at: Position): string {
    const payload = Buffer.from(JSON.stringify(at)).toString('base64url');
    return `${payload}.${this.#sealOf(question, payload).toString('base64url')}`;
  }

  /** The position in a cursor; undefined without one. Throws VALIDATION_ERROR for one of another question, or none of ours. */
  read(question: string, cursor: string | undefined): Position | undefined {
    if (cursor === undefined) return undefined;
    const [payload = '', seal = ''] = cursor.split('.');
    const given = Buffer.from(seal, 'base64url');
    const right = this.#sealOf(question, payload);
    if (given.length !== right.length || !timingSafeEqual(given, right)) throw notACursor();
    return position.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
  }

  #sealOf(question: string, payload: string): Buffer {
    return createHmac('sha256', this.#secret.reveal()).update(`sheaf cursor 1\0${question}\0${payload}`).digest().subarray(0, SEAL_BYTES);
  }
}

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

export type Scalar = string | number | boolean | null;
type Row<F extends string> = Readonly<Record<F, Scalar>>;

interface Order<F extends string> {
  readonly sort: F;
  readonly order: SortOrder;
}

/** Below 0 where `a` comes first. Choice: what is missing stands below any value. */
export const compareScalars = (a: Scalar, b: Scalar): number => {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
};

/** The sort field of a row, and the field that is different in each row. */
type Place = readonly [value: Scalar, key: Scalar];

const comparePlaces = ([value, key]: Place, [otherValue, otherKey]: Place, order: SortOrder): number => {
  const ascending = compareScalars(value, otherValue) || compareScalars(key, otherKey);
  return order === 'asc' ? ascending : -ascending;
};

/** All rows in an order; rows with the same value in that of `key`, which is unique. */
export const sortRows = <F extends string, B extends Row<F>>(rows: readonly B[], key: F, { sort, order }: Order<F>): readonly B[] =>
  rows.toSorted((a, b) => comparePlaces([a[sort], a[key]], [b[sort], b[key]], order));

/** One page of rows that are all in memory. */
export const pageOf = <B>(rows: readonly B[], { page, per_page: perPage }: PageQuery): readonly B[] =>
  rows.slice((page - 1) * perPage, page * perPage);

const toPosition = (place: Place): Position => place.map((part) => JSON.stringify(part));
const toPlace = (position: Position): Place => position.map((part) => JSON.parse(part ?? 'null') as Scalar) as unknown as Place;

type Query<F extends string> = PageQuery & Order<F>;
type ListParts<F extends string, B, More extends object, Who extends Access> = Parameters<typeof listRoute<Query<F>, B, Who, More>>[0];

interface ShortListRoute<F extends string, B extends Row<F>, More extends object, Who extends Access>
  extends Omit<ListParts<F, B, More, Who>, 'page' | 'cut'> {
  /** The field that is different in each row. */
  readonly key: NoInfer<F>;
  readonly rows: (
    input: Pick<Input<undefined, unknown, undefined, Who>, 'principal' | 'context'>,
  ) => Promise<{ readonly rows: readonly B[] } & NoInfer<More>>;
}

/** GET of a list of which all rows are read, because they are few and do not stand in a table that could sort them. */
export const shortListRoute = <F extends string, B extends Row<F>, const Who extends Access, More extends object = object>({
  key,
  rows: readRows,
  ...list
}: ShortListRoute<F, B, More, Who>): Route =>
  listRoute<Query<F>, B, Who, More>({
    ...list,
    page: async (input) => {
      const { rows, ...more } = await readRows(input);
      const sorted = sortRows<F, B>(rows, key, input.query);
      return { rows: pageOf(sorted, input.query), total: sorted.length, ...more } as never;
    },
    cut: async (input, { after, limit }: CutRequest) => {
      const { rows, ...more } = await readRows(input);
      const { sort, order } = input.query;
      const placeOf = (row: B): Place => [row[sort], row[key]];
      const sorted = sortRows<F, B>(rows, key, { sort, order });
      const behind = after === undefined ? sorted : sorted.filter((row) => comparePlaces(placeOf(row), toPlace(after), order) > 0);
      const part = behind.slice(0, limit);
      const last = part.at(-1);
      const next: Cut<B>['next'] = last === undefined || behind.length <= limit ? undefined : toPosition(placeOf(last));
      return { rows: part, next, ...more } as never;
    },
  });

/** The parameters of `partQuery`. */
interface PartQuery<F extends string> extends Partial<Record<keyof PageQuery, number | undefined>> {
  readonly sort: F;
  readonly order: SortOrder;
}

type Part<N extends string, B> = Readonly<Record<N, B[]>> & {
  /** Only where a page was asked for. */
  readonly pagination?: Pagination;
};

/** The value of a row in a sort field; `position` is its place among all rows. */
type ValueOf<F extends string, B> = (row: B, field: Exclude<F, 'position'>) => Scalar;

/**
 * The rows of a list inside a resource, sorted and cut as the request asks, in the field `name` of the answer; rows with the same value stay in
 * the order of `rows`.
 */
export const partOf = <const N extends string, const F extends string, B>(
  name: N,
  rows: readonly B[],
  query: PartQuery<F>,
  valueOf: ValueOf<F, B>,
): Part<N, B> => {
  const { sort, order } = query;
  const placed = rows.map((row, position) => ({
    row,
    value: sort === 'position' ? position : valueOf(row, sort as Exclude<F, 'position'>),
  }));
  const sign = order === 'asc' ? 1 : -1;
  const sorted = placed.toSorted((a, b) => sign * compareScalars(a.value, b.value)).map(({ row }) => row);
  const page = askedPage(query);
  const part = page === undefined ? sorted : [...pageOf(sorted, page)];
  return { [name]: part, ...(page && { pagination: toPagination(page, sorted.length) }) } as Part<N, B>;
};
