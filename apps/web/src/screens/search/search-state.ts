import { pageOf } from '../../interface/address-state.ts';
import type { Arguments } from '../../interface/call.ts';

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
  readonly from?: string;
  readonly to?: string;
  /** Percent. */
  readonly confidence?: string;
  /** Filters of a saved search that no field says, as JSON. */
  readonly more?: string;
}
export const SEARCH_STATE_NAMES = [
  'q',
  'page',
  'fuzzy',
  'sort',
  'kinds',
  'languages',
  'labels',
  'from',
  'to',
  'confidence',
  'more',
] as const;

type Query = NonNullable<Arguments<'get /api/search'>['query']>;

export const SORTS = {
  relevance: { sort: 'relevance', order: 'desc' },
  newest: { sort: 'created_at', order: 'desc' },
  oldest: { sort: 'created_at', order: 'asc' },
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
  from,
  to,
  confidence,
  more,
}: SearchState): Readonly<Record<string, unknown>> | undefined => {
  const filters = {
    ...(listOf(kinds).length === 0 ? {} : { mime_types: listOf(kinds) }),
    ...(listOf(languages).length === 0 ? {} : { language: listOf(languages) }),
    ...(listOf(labels).length === 0 ? {} : { label_ids: listOf(labels), label_match: 'all' as const }),
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
