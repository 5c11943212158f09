import { askedPage, type PageQuery, type Pagination, toPagination } from '@sheaf/contract';
import type { Cut, CutRequest, Position } from '@sheaf/db';
import type { SortOrder } from '@sheaf/vocabulary/sort-fields';
import { listRoute } from './list-route.ts';
import type { Access, Input, Route } from './route.ts';

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
