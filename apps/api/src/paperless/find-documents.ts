import { permissionNeeded } from '@sheaf/contract';
import type { SearchClause } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import { type DocumentFilter, findSelected, getDocument, listDocuments, listDocumentsBy } from '@sheaf/documents';
import {
  documentOrder,
  FILTERS,
  findByNumbers,
  type OrderField,
  type OrderKey,
  ownNames,
  readConditions,
  readFieldKinds,
  readInteger,
  refuseField,
  requireLetters,
} from '@sheaf/paperless';
import { PAPERLESS_SORTS } from '@sheaf/paperless/archive';
import { advancedQuery, documentConditions, findMoreLike, readPaperlessQuery, type search, searchByQuery } from '@sheaf/search';
import { MAX_CLAUSE_CHARACTERS, MAX_QUERY_CHARACTERS, MAX_SEARCH_RESULTS } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { DocumentSortField } from '@sheaf/vocabulary/sort-fields';
import { type AnyQuery, lastOf, requireDocuments, requireKnown } from './query.ts';
import type { PageRequest } from './requests.ts';

/** A document that was found, the best first. */
export interface Hit {
  readonly id: string;
  readonly score: number;
}

const OPTIONS = { filters: {}, page: 1, perPage: MAX_SEARCH_RESULTS, highlight: false, fuzzy: false };

type Ask = (db: Db, principal: Principal, text: string) => Promise<Hit[]>;

const toHits = ({ results }: Awaited<ReturnType<typeof search>>): Hit[] => results.map(({ document_id: id, score }) => ({ id, score }));

const containing =
  (...fields: readonly SearchClause['field'][]): Ask =>
  async (db, principal, value) =>
    toHits(
      await searchByQuery(db, principal, {
        ...OPTIONS,
        query: advancedQuery({ must: [], should: fields.map((field) => ({ field, type: 'contains', value })), must_not: [] }),
      }),
    );

/** In the syntax of Paperless-ngx. Throws VALIDATION_ERROR for what is not understood of it. */
const byQuery: Ask = async (db, principal, text) => {
  const read = readPaperlessQuery(text);
  if ('problem' in read) throw refuseField('query', read.problem);
  return toHits(await searchByQuery(db, principal, { ...OPTIONS, query: read.query }));
};

/** What has the words of a document. Throws NOT_FOUND where there is none, or the caller may not read it. */
const moreLike: Ask = async (db, principal, text) => {
  const [id = ''] = await requireDocuments(db, [readInteger('more_like_id', text)]);
  await getDocument(db, principal, id);
  return (await findMoreLike(db, principal, id, MAX_SEARCH_RESULTS)).map(({ documentId, score }) => ({ id: documentId, score }));
};

/** The filters that the search answers, by their parameter. */
const SEARCHES: Readonly<Record<string, Ask>> = {
  query: byQuery,
  text: containing('title', 'content'),
  title_content: containing('title', 'content'),
  title_search: containing('title'),
  content__icontains: containing('content'),
  more_like_id: moreLike,
};

/** The parameters by which the search finds documents. */
export const SEARCH_PARAMETERS: ReadonlySet<string> = new Set(Object.keys(SEARCHES));

const requireLength = (name: string, text: string): void => {
  const maximum = name === 'query' ? MAX_QUERY_CHARACTERS : MAX_CLAUSE_CHARACTERS;
  if (text.length > maximum) throw refuseField(name, `Ensure this value has at most ${maximum} characters.`);
};

/**
 * The first thousand documents that the words among the filters find, the best first; undefined where none of the filters are words. Of several,
 * all must find it. Throws FORBIDDEN where the caller may not search.
 */
export const findHits = async (db: Db, principal: Principal, query: AnyQuery): Promise<Hit[] | undefined> => {
  let hits: Hit[] | undefined;
  for (const [name, ask] of Object.entries(SEARCHES)) {
    const text = lastOf(query, name)?.trim();
    if (text === undefined || text === '') continue;
    if (name !== 'query' && name !== 'more_like_id') requireLetters(name, text);
    if (scopeOf(principal.permissions, 'search.query') === 'none') throw permissionNeeded('search.query');
    requireLength(name, text);
    const found = await ask(db, principal, text);
    const before = hits && new Set(hits.map(({ id }) => id));
    hits = found.filter(({ id }) => before?.has(id) !== false);
  }
  return hits;
};

/** Ids of documents beside a page of them. */
const MAX_ALL = 1_000;

const DEFAULT_ORDER = { by: 'own', sort: 'document_date', order: 'desc' } as const;

/** Documents that a query finds. */
export interface FoundDocuments {
  readonly count: number;
  /** Of the page. */
  readonly documents: Awaited<ReturnType<typeof listDocuments>>['rows'];
  /** Of the first documents in all. */
  readonly ids: readonly string[];
  /** What the words of the query have found, the best first; missing where it has none. */
  readonly hits?: readonly Hit[];
}

const idsOf = async (db: Db, principal: Principal, filter: DocumentFilter, limit: number): Promise<string[]> =>
  (await findSelected(db, principal, 'documents.read', { filter }, limit)).map(({ id }) => id);

const among = (db: Db, principal: Principal, ids: readonly string[]) =>
  documentConditions(db, principal, [{ kind: 'reference', field: 'document', match: 'any', ids: [...ids] }]);

/** Documents in the order in which the search has found them: of the hits, those that pass the other filters. */
const findByRank = async (
  db: Db,
  principal: Principal,
  filter: DocumentFilter,
  hits: readonly Hit[],
  page: PageRequest,
): Promise<FoundDocuments> => {
  const passing = new Set(await idsOf(db, principal, filter, hits.length));
  const ids = hits.map(({ id }) => id).filter((id) => passing.has(id));
  const shown = ids.slice((page.page - 1) * page.perPage, page.page * page.perPage);
  const { rows } = await listDocuments(db, principal, {
    sort: 'created_at',
    order: 'asc',
    page: 1,
    perPage: Math.max(1, shown.length),
    further: await among(db, principal, shown),
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { count: ids.length, ids: ids.slice(0, MAX_ALL), hits, documents: shown.flatMap((id) => byId.get(id) ?? []) };
};

interface Filtered {
  readonly filter: DocumentFilter;
  readonly hits: readonly Hit[] | undefined;
}

/** What the filters among `query` say, its words as the documents that they have found. */
const readFilter = async (db: Db, principal: Principal, query: AnyQuery): Promise<Filtered> => {
  const hits = await findHits(db, principal, query);
  const conditions = await readConditions(ownNames(db, principal), query);
  const found = hits === undefined ? [] : [{ kind: 'reference', field: 'document', match: 'any', ids: hits.map(({ id }) => id) } as const];
  return { hits, filter: { further: await documentConditions(db, principal, [...conditions, ...found]) } };
};

/** What lists of documents take beside filters. */
const OF_LISTS: ReadonlySet<string> = new Set(['ordering', 'fields', 'full_perms', 'truncate_content', 'include_selection_data']);

export const isFilter = (name: string): boolean => FILTERS.has(name) || SEARCH_PARAMETERS.has(name) || name === 'custom_field_query';
export const isOfList = (name: string): boolean => OF_LISTS.has(name);

/**
 * One page of the documents that pass the filters among `query` and that `principal` may read. Throws VALIDATION_ERROR for parameters and orders that
 * do not exist, and for values that make no sense.
 */
export const findDocuments = async (db: Db, principal: Principal, query: AnyQuery, page: PageRequest): Promise<FoundDocuments> => {
  requireKnown(query, (name) => isFilter(name) || isOfList(name));
  const ordering = await readOrdering(db, lastOf(query, 'ordering'));
  const { filter, hits } = await readFilter(db, principal, query);
  if (ordering?.by === 'rank' && hits === undefined) throw refuseField('ordering', '"score" needs a query.');
  if (hits !== undefined && (ordering === undefined || ordering.by === 'rank'))
    return findByRank(db, principal, filter, ordering?.isWorstFirst === true ? hits.toReversed() : hits, page);
  const { rows, total } =
    ordering?.by === 'keys'
      ? await listDocumentsBy(db, principal, { ...filter, by: documentOrder(ordering.keys), ...page })
      : await listDocuments(db, principal, { ...filter, ...(ordering?.by === 'own' ? ordering : DEFAULT_ORDER), ...page });
  return { count: total, documents: rows, ids: await idsOf(db, principal, filter, MAX_ALL), ...(hits === undefined ? {} : { hits }) };
};

/** The ids of the documents that pass the filters among `query`, at most `limit`. */
export const findDocumentIds = async (db: Db, principal: Principal, query: AnyQuery, limit: number): Promise<string[]> =>
  idsOf(db, principal, (await readFilter(db, principal, query)).filter, limit);

/** Our own orders, which have an index each. */
const OWN: Readonly<Record<string, DocumentSortField>> = { id: 'created_at', ...PAPERLESS_SORTS };

const OTHER: Readonly<Record<string, OrderField>> = {
  owner: 'owner',
  num_notes: 'num_notes',
  notes: 'num_notes',
  page_count: 'page_count',
};
/** What all documents have alike, as there are no storage paths. */
const ALIKE: ReadonlySet<string> = new Set(['storage_path__name', 'storage_path']);

const CUSTOM_FIELD = /^custom_field_(\d{1,10})$/;
const MAX_KEYS = 10;

/** How documents are to be sorted: by our own order, by any keys, or by rank. */
type Ordering =
  | { readonly by: 'own'; readonly sort: DocumentSortField; readonly order: 'asc' | 'desc' }
  | { readonly by: 'keys'; readonly keys: readonly OrderKey[] }
  | { readonly by: 'rank'; readonly isWorstFirst: boolean };

const readKey = async (db: Db, name: string): Promise<OrderField> => {
  if (Object.hasOwn(OWN, name)) return name as OrderField;
  const other = Object.hasOwn(OTHER, name) ? OTHER[name] : undefined;
  if (other !== undefined) return other;
  const [, number] = CUSTOM_FIELD.exec(name) ?? [];
  const id = number === undefined ? undefined : (await findByNumbers(db, 'custom_field', [Number(number)])).get(Number(number));
  const kind = id === undefined ? undefined : (await readFieldKinds(db)).find((each) => each.id === id);
  if (kind === undefined) throw refuseField('ordering', `"${name}" is not supported.`);
  return { fieldId: kind.id, type: kind.type };
};

/** The order that `ordering` names; undefined where it names none. Throws VALIDATION_ERROR for one that does not exist. */
const readOrdering = async (db: Db, ordering: string | undefined): Promise<Ordering | undefined> => {
  const names = (ordering ?? '')
    .split(',', MAX_KEYS + 1)
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length > MAX_KEYS) throw refuseField('ordering', `has more than ${MAX_KEYS} fields`);
  const signed = names.map((name) => ({ name: name.replace(/^-/, ''), isDescending: name.startsWith('-') }));
  const [first, ...others] = signed;
  if (first === undefined) return undefined;
  if (first.name === 'score' && others.length === 0) return { by: 'rank', isWorstFirst: !first.isDescending };
  const sort = Object.hasOwn(OWN, first.name) ? OWN[first.name] : undefined;
  if (sort !== undefined && others.length === 0) return { by: 'own', sort, order: first.isDescending ? 'desc' : 'asc' };
  const keys: OrderKey[] = [];
  for (const { name, isDescending } of signed) if (!ALIKE.has(name)) keys.push({ field: await readKey(db, name), isDescending });
  return { by: 'keys', keys: keys.length > 0 ? keys : [{ field: 'id', isDescending: first.isDescending }] };
};
