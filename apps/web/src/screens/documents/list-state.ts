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
  /** MIME types, parted by commas. */
  readonly kinds?: string;
  readonly owner?: string;
  /** `none`: only documents without labels. */
  readonly labelled?: string;
  /** An id; `none`: only documents without one. */
  readonly correspondent?: string;
  readonly document_type?: string;
  /** `yes`: only documents with near-duplicates. */
  readonly similar?: string;
  /** Names of columns, parted by commas; without it those that the user chose. */
  readonly columns?: string;
}
export const LIST_STATE_NAMES = [
  'view',
  'sort',
  'status',
  'source',
  'labels',
  'from',
  'to',
  'kinds',
  'owner',
  'labelled',
  'correspondent',
  'document_type',
  'similar',
  'columns',
] as const;

/** What stands in place of an id where documents without one are meant. */
export const WITHOUT = 'none';

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
  byTitleBack: { sort: 'title', order: 'desc' },
  byFilename: { sort: 'filename', order: 'asc' },
  byFilenameBack: { sort: 'filename', order: 'desc' },
  byKind: { sort: 'mime_type', order: 'asc' },
  byKindBack: { sort: 'mime_type', order: 'desc' },
  largest: { sort: 'size', order: 'desc' },
  smallest: { sort: 'size', order: 'asc' },
  worst: { sort: 'ocr_confidence', order: 'asc' },
  best: { sort: 'ocr_confidence', order: 'desc' },
  byStatus: { sort: 'status', order: 'asc' },
  byStatusBack: { sort: 'status', order: 'desc' },
  byCorrespondent: { sort: 'correspondent', order: 'asc' },
  byCorrespondentBack: { sort: 'correspondent', order: 'desc' },
  byDocumentType: { sort: 'document_type', order: 'asc' },
  byDocumentTypeBack: { sort: 'document_type', order: 'desc' },
  byDocumentDate: { sort: 'document_date', order: 'desc' },
  byDocumentDateBack: { sort: 'document_date', order: 'asc' },
  byArchiveNumber: { sort: 'archive_number', order: 'asc' },
  byArchiveNumberBack: { sort: 'archive_number', order: 'desc' },
} as const satisfies Record<string, Pick<Query, 'sort' | 'order'>>;
export type SortName = keyof typeof SORTS;
export const SORT_NAMES = Object.keys(SORTS) as SortName[];

/** As lines, as lines close together, or as pictures. */
export const VIEWS = ['list', 'compact', 'grid'] as const;
export type View = (typeof VIEWS)[number];
export const viewOf = ({ view }: ListState): View => VIEWS.find((one) => one === view) ?? 'list';

export const sortOf = ({ sort }: ListState): SortName => (sort !== undefined && Object.hasOwn(SORTS, sort) ? (sort as SortName) : 'newest');

const statusOf = ({ status }: ListState): DocumentStatus | undefined => DOCUMENT_STATUSES.find((one) => one === status);

export const labelIdsOf = ({ labels }: ListState): readonly string[] => (labels === undefined || labels === '' ? [] : labels.split(','));

export const kindsOf = ({ kinds }: ListState): readonly string[] => (kinds === undefined || kinds === '' ? [] : kinds.split(','));

/** Who documents are from, and what they are. */
const filingQueryOf = ({ correspondent, document_type: documentType }: ListState): Query => ({
  ...(correspondent === WITHOUT ? { has_correspondent: 'false' } : correspondent && { correspondent_ids: correspondent }),
  ...(documentType === WITHOUT ? { has_document_type: 'false' } : documentType && { document_type_ids: documentType }),
});

const filingFilterOf = ({ correspondent, document_type: documentType }: ListState): BulkFilter => ({
  ...(correspondent === WITHOUT ? { has_correspondent: false } : correspondent && { correspondent_ids: [correspondent] }),
  ...(documentType === WITHOUT ? { has_document_type: false } : documentType && { document_type_ids: [documentType] }),
});

/** What is asked of the service, but for the page. */
export const queryOf = (state: ListState): Query => {
  const status = statusOf(state);
  return {
    ...SORTS[sortOf(state)],
    ...(status === undefined ? {} : { status }),
    ...(state.source === undefined ? {} : { source_id: state.source }),
    ...(labelIdsOf(state).length === 0 ? {} : { label_ids: labelIdsOf(state).join(','), label_match: 'all' as const }),
    ...(state.from === undefined ? {} : { date_from: state.from }),
    ...(state.to === undefined ? {} : { date_to: state.to }),
    ...(kindsOf(state).length === 0 ? {} : { mime_types: kindsOf(state).join(',') }),
    ...(state.owner === undefined ? {} : { owner_id: state.owner }),
    ...(state.labelled === 'none' ? { has_labels: 'false' } : {}),
    ...(state.similar === 'yes' ? { has_similar: 'true' } : {}),
    ...filingQueryOf(state),
  };
};

/** The same documents for an action on all of them. */
export const bulkFilterOf = (state: ListState): BulkFilter => {
  const status = statusOf(state);
  return {
    ...(status === undefined ? {} : { status }),
    ...(state.source === undefined ? {} : { source_id: state.source }),
    ...(labelIdsOf(state).length === 0 ? {} : { label_ids: [...labelIdsOf(state)], label_match: 'all' as const }),
    ...(state.from === undefined ? {} : { date_from: state.from }),
    ...(state.to === undefined ? {} : { date_to: state.to }),
    ...(kindsOf(state).length === 0 ? {} : { mime_types: [...kindsOf(state)] }),
    ...(state.owner === undefined ? {} : { owner_id: state.owner }),
    ...(state.labelled === 'none' ? { has_labels: false } : {}),
    ...(state.similar === 'yes' ? { has_similar: true } : {}),
    ...filingFilterOf(state),
  };
};

/** The address without any filter. */
export const NO_FILTER = {
  status: undefined,
  source: undefined,
  labels: undefined,
  from: undefined,
  to: undefined,
  kinds: undefined,
  owner: undefined,
  labelled: undefined,
  correspondent: undefined,
  document_type: undefined,
  similar: undefined,
} as const satisfies Partial<Record<keyof ListState, undefined>>;

export const isFiltered = (state: ListState): boolean =>
  (Object.keys(NO_FILTER) as (keyof typeof NO_FILTER)[]).some((name) => state[name] !== undefined);
