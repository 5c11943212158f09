import { askedPage, type PageQuery, type Pagination, toPagination } from '@sheaf/contract';
import type { SortOrder } from '@sheaf/vocabulary/sort-fields';
import { compareScalars, pageOf, type Scalar } from './short-list.ts';

/** The parameters of `partQuery`. */
interface PartQuery<F extends string> extends Partial<Record<keyof PageQuery, number | undefined>> {
  readonly sort: F;
  readonly order: SortOrder;
}

interface Part<B> {
  readonly rows: B[];
  /** Only where a page was asked for. */
  readonly pagination?: Pagination;
}

/** The value of a row in a sort field; `position` is its place among all rows. */
type ValueOf<F extends string, B> = (row: B, field: Exclude<F, 'position'>) => Scalar;

/** The rows of a list inside a resource, sorted and cut as the request asks; rows with the same value stay in the order of `rows`. */
export const partOf = <const F extends string, B>(rows: readonly B[], query: PartQuery<F>, valueOf: ValueOf<F, B>): Part<B> => {
  const { sort, order } = query;
  const placed = rows.map((row, position) => ({
    row,
    value: sort === 'position' ? position : valueOf(row, sort as Exclude<F, 'position'>),
  }));
  const sign = order === 'asc' ? 1 : -1;
  const sorted = placed.toSorted((a, b) => sign * compareScalars(a.value, b.value)).map(({ row }) => row);
  const page = askedPage(query);
  return page === undefined ? { rows: sorted } : { rows: [...pageOf(sorted, page)], pagination: toPagination(page, sorted.length) };
};
