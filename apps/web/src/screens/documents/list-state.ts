import { DOCUMENT_STATUSES, type DocumentStatus } from '@sheaf/vocabulary/documents';
import type { Arguments } from '../../interface/call.ts';

/** What the list shows, as its address has it. */
export interface ListState {
  readonly view?: string;
  readonly sort?: string;
  readonly status?: string;
  readonly source?: string;
  /** Ids, parted by commas. */
  readonly labels?: string;
  readonly from?: string;
  readonly to?: string;
}
export const LIST_STATE_NAMES = ['view', 'sort', 'status', 'source', 'labels', 'from', 'to'] as const;

export type ChangeListState = (
  changes: Partial<Record<keyof ListState, string | undefined>>,
  options?: { readonly replace?: boolean },
) => void;

type Query = NonNullable<Arguments<'get /api/documents'>['query']>;
type BulkFilter = NonNullable<Arguments<'post /api/documents/bulk'>['body']['filter']>;

export const SORTS = {
  newest: { sort: 'created_at', order: 'desc' },
  oldest: { sort: 'created_at', order: 'asc' },
  changed: { sort: 'updated_at', order: 'desc' },
  byTitle: { sort: 'title', order: 'asc' },
  largest: { sort: 'size', order: 'desc' },
  worst: { sort: 'ocr_confidence', order: 'asc' },
} as const satisfies Record<string, Pick<Query, 'sort' | 'order'>>;
export type SortName = keyof typeof SORTS;
export const SORT_NAMES = Object.keys(SORTS) as SortName[];

export const sortOf = ({ sort }: ListState): SortName => (sort !== undefined && Object.hasOwn(SORTS, sort) ? (sort as SortName) : 'newest');

const statusOf = ({ status }: ListState): DocumentStatus | undefined => DOCUMENT_STATUSES.find((one) => one === status);

export const labelIdsOf = ({ labels }: ListState): readonly string[] => (labels === undefined || labels === '' ? [] : labels.split(','));

/** What is asked of the service, but for the page. */
export const queryOf = (state: ListState): Query => {
  const status = statusOf(state);
  return {
    ...SORTS[sortOf(state)],
    ...(status === undefined ? {} : { status }),
    ...(state.source === undefined ? {} : { source_id: state.source }),
    ...(labelIdsOf(state).length === 0 ? {} : { label_ids: labelIdsOf(state).join(',') }),
    ...(state.from === undefined ? {} : { date_from: state.from }),
    ...(state.to === undefined ? {} : { date_to: state.to }),
  };
};

/** The same documents for an action on all of them. */
export const bulkFilterOf = (state: ListState): BulkFilter => {
  const status = statusOf(state);
  return {
    ...(status === undefined ? {} : { status }),
    ...(state.source === undefined ? {} : { source_id: state.source }),
    ...(labelIdsOf(state).length === 0 ? {} : { label_ids: [...labelIdsOf(state)] }),
    ...(state.from === undefined ? {} : { date_from: state.from }),
    ...(state.to === undefined ? {} : { date_to: state.to }),
  };
};

export const isFiltered = ({ status, source, labels, from, to }: ListState): boolean =>
  [status, source, labels, from, to].some((value) => value !== undefined);
