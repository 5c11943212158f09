import type { Pagination } from '@sheaf/contract';
import { pageOf } from './address-state.ts';
import { type Answer, type Operation, useCall, type Wanted } from './call.ts';
import type { Problem } from './problem.ts';

/** Those that answer with pages of records and take their filters from the query alone. */
type PagedOperation = Extract<
  Operation,
  | 'get /api/audit'
  | 'get /api/correspondents'
  | 'get /api/deliveries'
  | 'get /api/document-types'
  | 'get /api/fields'
  | 'get /api/imports'
  | 'get /api/ingest'
  | 'get /api/labels'
  | 'get /api/notifications'
  | 'get /api/ocr/queue'
  | 'get /api/saved-searches'
  | 'get /api/rules'
  | 'get /api/shares'
  | 'get /api/trash'
  | 'get /api/users'
>;

type State = Readonly<Record<string, string | undefined>>;

type RecordsOf<O extends PagedOperation> = Answer<O> extends { readonly data: infer R } ? R : never;

interface PagedCall<O extends PagedOperation> {
  readonly data: Answer<O> | undefined;
  readonly refetch: () => Promise<unknown>;
  /** What a RecordTable shows: the records, undefined while they are loaded; what is wrong; the pages there are. */
  readonly paging: {
    readonly records: RecordsOf<O> | undefined;
    readonly idOf: (record: { readonly id: string }) => string;
    readonly problem: Problem | null;
    readonly onRetry: () => void;
    readonly pagination: Pagination | undefined;
    readonly onPage: (page: number) => void;
  };
}

/** How many rows the lists of pages have, as the user chose it; undefined until that is known, and where it cannot be learned. */
const useRowsPerPage = (): { readonly perPage: number | undefined; readonly isSettled: boolean } => {
  const { data, error } = useCall('get /api/settings', {}, { staleMs: Number.POSITIVE_INFINITY });
  return { perPage: data?.items_per_page, isSettled: data !== undefined || error !== null };
};

const idOf = ({ id }: { readonly id: string }): string => id;

/** The page of records that the address asks for: `state` is what stands there, filters and page, and `change` changes it. */
export const usePagedCall = <O extends PagedOperation>(
  operation: O,
  state: State,
  change: (changes: { readonly page: string }) => void,
  { refetchIntervalMs = false }: { readonly refetchIntervalMs?: number | false } = {},
): PagedCall<O> => {
  const { perPage, isSettled } = useRowsPerPage();
  const query = { ...state, page: pageOf(state), per_page: perPage };
  const list = useCall(operation, { query } as unknown as Wanted<O>, {
    enabled: isSettled,
    keepPrevious: true,
    refetchIntervalMs,
  });
  const page = list.data as { readonly data: RecordsOf<O>; readonly pagination: Pagination } | undefined;
  return {
    data: list.data,
    refetch: list.refetch,
    paging: {
      records: page?.data,
      idOf,
      problem: list.error,
      onRetry: () => void list.refetch(),
      pagination: page?.pagination,
      onPage: (number) => change({ page: String(number) }),
    },
  };
};
