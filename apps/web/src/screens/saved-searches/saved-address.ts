import { withChanges } from '../../interface/address-state.ts';
import type { Answer, Arguments } from '../../interface/call.ts';
import { COLUMNS, type Column, columnsOf } from '../documents/document-columns.ts';
import { bulkFilterOf, SORTS as LIST_SORTS, type ListState, sortOf as listSortOf, WITHOUT } from '../documents/list-state.ts';
import { filtersOf, SORTS as SEARCH_SORTS, type SearchState, sortOf as searchSortOf } from '../search/search-state.ts';

export type SavedSearch = Answer<'get /api/saved-searches'>['data'][number];
type NewSearch = Arguments<'post /api/saved-searches'>['body'];

/** What is saved of a screen. */
export type Shown = Required<Pick<NewSearch, 'query' | 'filters' | 'sort' | 'order' | 'columns'>>;
/** What an address is made of. */
type Stored = Pick<SavedSearch, 'query' | 'filters' | 'sort' | 'order' | 'columns'>;
type Filters = Stored['filters'];

export const shownOfSearch = (state: SearchState): Shown => ({
  query: state.q ?? '',
  filters: filtersOf(state) ?? {},
  ...SEARCH_SORTS[searchSortOf(state)],
  columns: [],
});

export const shownOfList = (state: ListState): Shown => ({
  query: '',
  filters: bulkFilterOf(state),
  ...LIST_SORTS[listSortOf(state)],
  columns: state.columns === undefined ? [] : [...columnsOf(state.columns)],
});

/** The columns that a search is saved with; none where each user sees those of their own. A client of the API may have stored other names. */
export const savedColumnsOf = ({ columns }: Pick<Stored, 'columns'>): readonly Column[] =>
  COLUMNS.filter((column) => columns.includes(column));

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A list as addresses have it; undefined for what is none, or would not come out of an address as it went in. */
const listText = (value: unknown): string | undefined => {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isPlain = items.length > 0 && items.every((item) => typeof item === 'string' && item !== '' && !item.includes(','));
  return isPlain ? items.join(',') : undefined;
};

/** One label is the same whether any or all are wanted. */
const withoutNeedlessMatch = ({ label_match: match, ...filters }: Filters): Filters =>
  match === undefined || (Array.isArray(filters['label_ids']) && filters['label_ids'].length < 2)
    ? filters
    : { ...filters, label_match: match };

const inOrder = (filters: Filters): string =>
  JSON.stringify(Object.entries(withoutNeedlessMatch(filters)).toSorted(([one], [other]) => (one < other ? -1 : 1)));
const areSame = (one: Filters, other: Filters): boolean => inOrder(one) === inOrder(other);

const nameOfSort = (sorts: Readonly<Record<string, { sort: string; order: string }>>, { sort, order }: Stored): string | undefined =>
  Object.entries(sorts).find(([, one]) => one.sort === sort && one.order === order)?.[0];

type Address = Readonly<Record<string, string | undefined>>;

const listAddress = (stored: Stored): Address => ({
  sort: nameOfSort(LIST_SORTS, stored),
  status: textOf(stored.filters['status']),
  source: textOf(stored.filters['source_id']),
  labels: listText(stored.filters['label_ids']),
  from: textOf(stored.filters['date_from']),
  to: textOf(stored.filters['date_to']),
  kinds: listText(stored.filters['mime_types']),
  owner: textOf(stored.filters['owner_id']),
  labelled: stored.filters['has_labels'] === false ? WITHOUT : undefined,
  correspondent: stored.filters['has_correspondent'] === false ? WITHOUT : listText(stored.filters['correspondent_ids']),
  document_type: stored.filters['has_document_type'] === false ? WITHOUT : listText(stored.filters['document_type_ids']),
  columns: listText(savedColumnsOf(stored)),
});

const present = (address: Address): Record<string, string> =>
  Object.fromEntries(Object.entries(address).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/** The fields that the search screen has for filters. */
const searchAddress = ({
  mime_types: kinds,
  language,
  label_ids: labels,
  correspondent_ids: correspondents,
  document_type_ids: types,
  document_date_from: dated,
  document_date_to: datedTo,
  date_from: from,
  date_to: to,
  min_confidence: share,
}: Filters): Address => ({
  kinds: listText(kinds),
  languages: listText(language),
  labels: listText(labels),
  correspondents: listText(correspondents),
  types: listText(types),
  dated: textOf(dated),
  datedTo: textOf(datedTo),
  from: textOf(from),
  to: textOf(to),
  confidence: typeof share === 'number' ? String(Math.round(share * 10_000) / 100) : undefined,
});

const FIELDS_OF_LABELS = ['label_ids', 'label_match'];

/** The filters that the fields of the search screen do not say. */
const furtherFilters = (filters: Filters, fields: Address): Filters => {
  const { language, ...said }: Filters = filtersOf(present(fields)) ?? {};
  const expressed: Filters = {
    ...said,
    ...(language === undefined ? {} : { language: typeof filters['language'] === 'string' ? filters['language'] : language }),
  };
  const areLabelsSaid = areSame(
    Object.fromEntries(Object.entries(expressed).filter(([name]) => FIELDS_OF_LABELS.includes(name))),
    Object.fromEntries(Object.entries(filters).filter(([name]) => FIELDS_OF_LABELS.includes(name))),
  );
  const isSaid = (name: string, value: unknown): boolean =>
    FIELDS_OF_LABELS.includes(name) ? areLabelsSaid : JSON.stringify(value) === JSON.stringify(expressed[name]);
  return Object.fromEntries(Object.entries(filters).filter(([name, value]) => !isSaid(name, value)));
};

const withQuery = (path: string, address: Address): string => {
  const query = withChanges('', address);
  return query === '' ? path : `${path}?${query}`;
};

/** Whether the list of documents shows a search, with columns, and not the search screen. */
export const isShownAsList = (stored: Stored): boolean =>
  stored.query.trim() === '' && areSame(bulkFilterOf(present(listAddress(stored))), stored.filters);

/**
 * Where a saved search is shown: without a query in the list of documents, if the list has all of its filters, else among the results of a
 * search. Filters that no field of that screen says go along as they are.
 */
export const addressOf = (stored: Stored): string => {
  const list = listAddress(stored);
  if (isShownAsList(stored)) return withQuery('/documents', { ...list, sort: list['sort'] === 'newest' ? undefined : list['sort'] });
  const fields = searchAddress(stored.filters);
  const more = furtherFilters(stored.filters, fields);
  const labels = 'label_ids' in more ? undefined : fields['labels'];
  const sort = nameOfSort(SEARCH_SORTS, stored);
  return withQuery('/search', {
    q: stored.query,
    ...fields,
    labels,
    sort: sort === 'relevance' ? undefined : sort,
    more: Object.keys(more).length === 0 ? undefined : JSON.stringify(more),
  });
};
