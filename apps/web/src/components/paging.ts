import type { Pagination } from '@sheaf/contract';
import type { Problem } from '../interface/problem.ts';

interface PagedAnswer {
  readonly data: { readonly pagination: Pagination } | undefined;
  readonly error: Problem | null;
  readonly refetch: () => Promise<unknown>;
}

/** What a RecordTable has to know of the answer whose records it shows: what is wrong with it, and its pages, which stand in the address. */
export const pagingOf = ({ data, error, refetch }: PagedAnswer, change: (changes: { readonly page: string }) => void) => ({
  problem: error,
  onRetry: () => void refetch(),
  pagination: data?.pagination,
  onPage: (page: number) => change({ page: String(page) }),
});
