import { pageOf } from '../../interface/address-state.ts';
import type { Arguments } from '../../interface/call.ts';

/** Where a document opens at the page of its best hit. */
export const hitAddress = (hit: { readonly document_id: string; readonly page: number | null }, query: string): string => {
  const address = new URLSearchParams({ ...(hit.page === null ? {} : { page: String(hit.page) }), q: query });
  return `/documents/${hit.document_id}?${address}`;
};

/** What a search is, as its address has it. */
export interface SearchState {
  readonly q?: string;
  readonly page?: string;
  readonly fuzzy?: string;
  readonly sort?: string;
  /** Media types, parted by commas. */
  readonly kinds?: string;
  /** Codes of tesseract, parted by commas. */
  readonly languages?: string;
  /** Ids of labels, parted by commas. */
  readonly labels?: string;
  /** Ids of correspondents, parted by commas. */
  readonly correspondents?: string;
  /** Ids of document types, parted by commas. */
  readonly types?: string;
  /** The first and the last day that a document may bear. */
  readonly dated?: string;
  readonly datedTo?: string;
  /** When it came in. */
  readonly from?: string;
  readonly to?: string;
  /** Percent. */
  readonly confidence?: string;
  /** Filters of a saved search that no field says, as JSON. */
  readonly more?: string;
}

/** What narrows a search. */
export const FILTER_NAMES = [
  'kinds',
  'languages',
  'labels',
  'correspondents',
  'types',
  'dated',
  'datedTo',
  'from',
  'to',
  'confidence',
  'more',
] as const;
/** Whether there is a query or a filter, so that there are results. */
export const isAsked = (state: SearchState): boolean => (state.q ?? '') !== '' || FILTER_NAMES.some((name) => (state[name] ?? '') !== '');
export const SEARCH_STATE_NAMES = ['q', 'page', 'fuzzy', 'sort', ...FILTER_NAMES] as const;

export type ChangeSearch = (
  changes: Partial<Record<keyof SearchState, string | undefined>>,
  options?: { readonly replace?: boolean },
) => void;

type Query = NonNullable<Arguments<'get /api/search'>['query']>;

export const SORTS = {
  relevance: { sort: 'relevance', order: 'desc' },
  newest: { sort: 'created_at', order: 'desc' },
  oldest: { sort: 'created_at', order: 'asc' },
  byDocumentDate: { sort: 'document_date', order: 'desc' },
  byTitle: { sort: 'title', order: 'asc' },
} as const satisfies Record<string, Pick<Query, 'sort' | 'order'>>;
export type SortName = keyof typeof SORTS;

export const sortOf = ({ sort }: SearchState): SortName =>
  sort !== undefined && Object.hasOwn(SORTS, sort) ? (sort as SortName) : 'relevance';

export const listOf = (text: string | undefined): readonly string[] => (text === undefined || text === '' ? [] : text.split(','));

/** A list in an address with `item` put in, or taken out where it is there. */
export const toggled = (text: string | undefined, item: string): string | undefined => {
  const before = listOf(text);
  const after = before.includes(item) ? before.filter((one) => one !== item) : [...before, item];
  return after.length === 0 ? undefined : after.join(',');
};

type ListName = 'kinds' | 'languages' | 'labels' | 'correspondents' | 'types';

/** What a facet of a list shows as chosen, and how it changes that. */
export const facetOf = (state: SearchState, change: ChangeSearch, name: ListName) => ({
  chosen: listOf(state[name]),
  onToggle: (item: string) => change({ [name]: toggled(state[name], item) }),
});

/** The year that two days are the first and the last one of. */
export const yearOf = (from: string | undefined, to: string | undefined): string | undefined => {
  const year = from?.slice(0, 'yyyy'.length);
  return from === `${year}-01-01` && to === `${year}-12-31` ? year : undefined;
};

const FULL_PERCENT = 100;

/** Further filters as the address has them; the service refuses what are none. */
const moreOf = (text: string | undefined): Readonly<Record<string, unknown>> => {
  try {
    const more: unknown = JSON.parse(text ?? '{}');
    return typeof more === 'object' && more !== null && !Array.isArray(more) ? { ...more } : {};
  } catch {
    return {};
  }
};

/** The filters of a search as the service takes them; undefined where there are none. */
export const filtersOf = ({
  kinds,
  languages,
  labels,
  correspondents,
  types,
  dated,
  datedTo,
  from,
  to,
  confidence,
  more,
}: SearchState): Readonly<Record<string, unknown>> | undefined => {
  const filters = {
    ...(listOf(kinds).length === 0 ? {} : { mime_types: listOf(kinds) }),
    ...(listOf(languages).length === 0 ? {} : { language: listOf(languages) }),
    ...(listOf(labels).length === 0 ? {} : { label_ids: listOf(labels), label_match: 'all' as const }),
    ...(listOf(correspondents).length === 0 ? {} : { correspondent_ids: listOf(correspondents) }),
    ...(listOf(types).length === 0 ? {} : { document_type_ids: listOf(types) }),
    ...(dated === undefined ? {} : { document_date_from: dated }),
    ...(datedTo === undefined ? {} : { document_date_to: datedTo }),
    ...(from === undefined ? {} : { date_from: from }),
    ...(to === undefined ? {} : { date_to: to }),
    ...(confidence === undefined || confidence === '0' ? {} : { min_confidence: Number(confidence) / FULL_PERCENT }),
    ...moreOf(more),
  };
  return Object.keys(filters).length === 0 ? undefined : filters;
};

/** What is asked of the service. */
export const queryOf = (state: SearchState): Query => {
  const filters = filtersOf(state);
  return {
    q: state.q ?? '',
    page: pageOf(state),
    ...SORTS[sortOf(state)],
    ...(state.fuzzy === 'true' ? { fuzzy: 'true' } : {}),
    ...(filters === undefined ? {} : { filters: JSON.stringify(filters) }),
  };
};
