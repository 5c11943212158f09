import {
  createSavedSearchRequest,
  type SavedSearchBody,
  savedSearchBody,
  savedSearchListQuery,
  savedSearchQuery,
  type UpdateSavedSearchRequest,
  updateSavedSearchRequest,
} from '@sheaf/contract/search';
import type { Database, Db } from '@sheaf/db';
import { warningsOf } from '@sheaf/search';
import {
  countResults,
  createSavedSearch,
  deleteSavedSearch,
  getSavedSearch,
  listSavedSearches,
  listSavedSearchesAfter,
  type SavedSearch,
  type SavedSearchFields,
  updateSavedSearch,
} from '@sheaf/search/saved-searches';
import { MAX_PINNED_SEARCHES, MAX_SAVED_SEARCHES } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { type Cursors, listRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { type ChangeRoutes, changeRoutes, createRoute, emptyRoute, jsonRoute, type Route } from '../http/route.ts';

interface SavedSearchServices {
  readonly database: Database;
  readonly cursors: Cursors;
}

const COUNTS =
  '`count` is the number of results that the caller may read. Pinned searches are counted, the others with `with_counts=true`. It is null where counting takes longer than about two seconds for all of them.';

const list = ({ cursors }: SavedSearchServices): Route =>
  listRoute({
    cursors,
    path: '/api/saved-searches',
    access: 'search.query',
    mayReadReplica: true,
    summary: 'List your saved searches and those that others share',
    description: COUNTS,
    query: savedSearchListQuery,
    name: 'data',
    item: savedSearchBody,
    page: async ({ query: { page, per_page: perPage, ...query }, principal, context: { db } }) => {
      const { rows, total } = await listSavedSearches(db, principal, { page, perPage, ...query });
      return { rows: await toSavedSearchBodies(db, principal, rows, query), total };
    },
    cut: async ({ query, principal, context: { db } }, part) => {
      const { rows, next } = await listSavedSearchesAfter(db, principal, { ...query, ...part });
      return { rows: await toSavedSearchBodies(db, principal, rows, query), next };
    },
  });

const readBody = async (db: Db, principal: Principal, id: string, withCounts = false): Promise<SavedSearchBody> => {
  const search = await getSavedSearch(db, principal, id);
  const [body] = await toSavedSearchBodies(db, principal, [search], { with_counts: withCounts });
  if (body === undefined) throw new Error('one search has one body');
  return body;
};

const fieldsOf = (body: UpdateSavedSearchRequest): Partial<SavedSearchFields> => ({
  ...(body.name === undefined ? {} : { name: body.name }),
  ...(body.query === undefined ? {} : { query: body.query }),
  ...(body.filters === undefined ? {} : { filters: body.filters }),
  ...(body.view_rules === undefined ? {} : { viewRules: body.view_rules }),
  ...(body.sort === undefined ? {} : { sort: body.sort }),
  ...(body.order === undefined ? {} : { order: body.order }),
  ...(body.columns === undefined ? {} : { columns: [...new Set(body.columns)] }),
  ...(body.is_shared === undefined ? {} : { isShared: body.is_shared }),
  ...(body.notify === undefined ? {} : { notify: body.notify }),
});

export const create = ({ database: { db } }: SavedSearchServices): Route =>
  createRoute({
    path: '/api/saved-searches',
    access: 'search.query',
    summary: 'Save a search',
    description: `At most ${MAX_SAVED_SEARCHES} for each user, of which ${MAX_PINNED_SEARCHES} can be pinned. With \`notify\`, you are notified of documents that match once they are processed.`,
    body: createSavedSearchRequest,
    response: savedSearchBody,
    handle: async ({ body, principal, context: { address } }) => {
      const { name, query, filters, sort, order, columns } = body;
      const more = { viewRules: body.view_rules, columns: [...new Set(columns)], isShared: body.is_shared, notify: body.notify };
      const fields = { name, query, filters, sort, order, ...more };
      const id = await createSavedSearch(db, { principal, address }, fields, { isPinned: body.is_pinned });
      return readBody(db, principal, id);
    },
  });

const read = ({ database: { db } }: SavedSearchServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/saved-searches/{id}',
    access: 'search.query',
    summary: 'Get a saved search',
    description: COUNTS,
    errors: { SAVED_SEARCH_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    query: savedSearchQuery,
    response: savedSearchBody,
    handle: ({ params: { id }, query, principal }) => readBody(db, principal, id, query.with_counts),
  });

export const update = ({ database: { db } }: SavedSearchServices): ChangeRoutes =>
  changeRoutes({
    path: '/api/saved-searches/{id}',
    access: 'search.query',
    summary: 'Change a saved search, or pin it',
    description:
      'Only the given fields change; PUT and PATCH are equivalent. `is_pinned` and `position` are your own, also for a search that somebody else shares; the other fields are changed by its owner only. A search that is no longer shared loses the pins of others.',
    errors: { SAVED_SEARCH_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    body: updateSavedSearchRequest,
    response: savedSearchBody,
    present: ({ params: { id }, principal }, reader) => readBody(reader, principal, id),
    handle: async ({ params: { id }, body, principal, context: { address, requireMatch } }) => {
      const pin = { isPinned: body.is_pinned, position: body.position };
      await updateSavedSearch(db, { principal, address }, id, fieldsOf(body), pin, requireMatch);
      return readBody(db, principal, id);
    },
  });

export const remove = ({ database: { db } }: SavedSearchServices): Route =>
  emptyRoute({
    method: 'delete',
    path: '/api/saved-searches/{id}',
    access: 'search.query',
    summary: 'Delete a saved search of yours, also for those who have pinned it',
    done: 'Deleted',
    errors: { SAVED_SEARCH_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    handle: async ({ params: { id }, principal, context: { address } }) => {
      await deleteSavedSearch(db, { principal, address }, id);
    },
  });

export const savedSearchRoutes = (services: SavedSearchServices): readonly Route[] => [
  list(services),
  create(services),
  read(services),
  ...update(services),
  remove(services),
];

type Counts = Awaited<ReturnType<typeof countResults>>;

const toBody = async (db: Db, search: SavedSearch, counts: Counts): Promise<SavedSearchBody> => {
  const warnings = await warningsOf(db, search.query);
  const counted = counts.get(search.id);
  return {
    id: search.id,
    name: search.name,
    query: search.query,
    filters: search.filters,
    view_rules: search.viewRules === null ? null : [...search.viewRules],
    sort: search.sort,
    order: search.order,
    columns: [...search.columns],
    is_shared: search.isShared,
    is_pinned: search.position !== undefined,
    position: search.position ?? null,
    notify: search.notify,
    count: counted?.count ?? null,
    ...(counted?.isLowerBound === true ? { count_is_lower_bound: true } : {}),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    owner: search.owner,
    created_at: search.createdAt.toISOString(),
    updated_at: search.updatedAt.toISOString(),
  };
};

/** The searches with the counts of those that are pinned, or of all. */
const toSavedSearchBodies = async (
  db: Db,
  principal: Principal,
  searches: readonly SavedSearch[],
  { with_counts: withCounts }: { readonly with_counts: boolean },
): Promise<SavedSearchBody[]> => {
  const counted = searches.filter(({ position }) => withCounts || position !== undefined);
  const counts = await countResults(db, principal, counted);
  return Promise.all(searches.map((search) => toBody(db, search, counts)));
};
