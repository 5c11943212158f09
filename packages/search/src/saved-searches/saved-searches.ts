import { type AppError, codedError } from '@sheaf/contract';
import {
  type Cut,
  type CutRequest,
  type Db,
  makeKeyset,
  type Page,
  type PageRequest,
  queryCut,
  queryPage,
  savedSearchesFor,
} from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import type { ViewRule } from '@sheaf/db/schema';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { SavedSearchSortField, SortOrder } from '@sheaf/vocabulary/sort-fields';

/** A saved search as its reader sees it. */
export interface SavedSearch {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  /** As it was stored, maybe by another version. */
  readonly filters: Readonly<Record<string, unknown>>;
  /** As an app for Paperless-ngx sent them; null where it did not, or query or filters have changed since. */
  readonly viewRules: readonly ViewRule[] | null;
  readonly sort: string;
  readonly order: SortOrder;
  readonly columns: readonly string[];
  readonly isShared: boolean;
  /** Among the pinned searches of the reader; undefined where it is not pinned. */
  readonly position: number | undefined;
  /** Whether the reader is notified of new matches. */
  readonly notify: boolean;
  readonly owner: { readonly id: string; readonly name: string };
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface SavedSearchRow extends Record<string, unknown> {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly filters: Readonly<Record<string, unknown>>;
  readonly view_rules: readonly ViewRule[] | null;
  readonly sort: string;
  readonly order: SortOrder;
  readonly columns: readonly string[];
  readonly is_shared: boolean;
  readonly position: number | null;
  readonly notify: boolean;
  readonly owner_id: string;
  readonly owner_name: string;
  readonly created_at: string;
  readonly updated_at: string;
}

const COLUMNS = sql`saved_searches.id, saved_searches.name, query, filters, view_rules, sort, sort_order as "order", columns, is_shared, owner_id,
  saved_searches.created_at, saved_searches.updated_at, users.username as owner_name, saved_search_pins.position`;

const selectSavedSearches = ({ userId }: Principal, more: SQL = sql``): SQL => sql`
  select ${COLUMNS}, notify_since is not null and owner_id = ${userId}::uuid as notify ${more}
  from saved_searches join users on users.id = owner_id
  left join saved_search_pins on saved_search_id = saved_searches.id and user_id = ${userId}::uuid`;

const toSavedSearch = (row: SavedSearchRow): SavedSearch => ({
  id: row.id,
  name: row.name,
  query: row.query,
  filters: row.filters,
  viewRules: row.view_rules,
  sort: row.sort,
  order: row.order,
  columns: row.columns,
  isShared: row.is_shared,
  position: row.position ?? undefined,
  notify: row.notify,
  owner: { id: row.owner_id, name: row.owner_name },
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
});

export const savedSearchNotFound = (id: string): AppError => codedError('NOT_FOUND', 'SAVED_SEARCH_NOT_FOUND', { saved_search_id: id });

/** The search, if it is of `principal` or shared. Throws SAVED_SEARCH_NOT_FOUND otherwise. */
export const getSavedSearch = async (db: Db, principal: Principal, id: string): Promise<SavedSearch> => {
  const { rows } = await db.execute<SavedSearchRow>(
    sql`${selectSavedSearches(principal)} where saved_searches.id = ${id} and ${savedSearchesFor(principal)}`,
  );
  if (rows[0] === undefined) throw savedSearchNotFound(id);
  return toSavedSearch(rows[0]);
};

export interface SavedSearchFilter {
  /** Only those that are pinned, or are not. */
  readonly pinned?: boolean | undefined;
  readonly sort: SavedSearchSortField;
  readonly order: SortOrder;
}

export interface SavedSearchListRequest extends SavedSearchFilter, PageRequest {}

const SORT_KEYS = {
  name: { by: sql`saved_searches.name_key`, type: 'text' },
  created_at: { by: sql`saved_searches.created_at`, type: 'timestamptz' },
  updated_at: { by: sql`saved_searches.updated_at`, type: 'timestamptz' },
  id: { by: sql`saved_searches.id`, type: 'uuid' },
  query: { by: sql`saved_searches.query`, type: 'text' },
  sort: { by: sql`saved_searches.sort`, type: 'text' },
  order: { by: sql`saved_searches.sort_order`, type: 'text' },
  is_shared: { by: sql`saved_searches.is_shared`, type: 'boolean' },
  is_pinned: { by: sql`saved_search_pins.position is not null`, type: 'boolean' },
  position: { by: sql`saved_search_pins.position`, type: 'integer', mayBeMissing: true },
  notify: { by: sql`notify_since is not null`, type: 'boolean' },
} as const satisfies Record<SavedSearchSortField, unknown>;

const keysetOf = ({ sort, order }: SavedSearchFilter) => makeKeyset(order, [SORT_KEYS[sort], { by: sql`saved_searches.id`, type: 'uuid' }]);

const readable = (principal: Principal, { pinned }: SavedSearchFilter): SQL => {
  const isPinned = sql`exists (select from saved_search_pins as pin
    where pin.saved_search_id = saved_searches.id and pin.user_id = ${principal.userId}::uuid)`;
  const which = pinned === undefined ? sql`true` : pinned ? isPinned : sql`not ${isPinned}`;
  return sql`${savedSearchesFor(principal)} and ${which}`;
};

const selectionOf = (principal: Principal, filter: SavedSearchFilter) => ({
  select: (more?: SQL) => selectSavedSearches(principal, more),
  where: readable(principal, filter),
  toRow: toSavedSearch,
});

/** One page of the searches of `principal` and those that are shared, and how many there are. */
export const listSavedSearches = (
  db: Db,
  principal: Principal,
  { page, perPage, ...filter }: SavedSearchListRequest,
): Promise<Page<SavedSearch>> =>
  queryPage(db, selectionOf(principal, filter), { from: sql`saved_searches`, order: keysetOf(filter).order, page, perPage });

/** The same behind `after`, at most `limit`. */
export const listSavedSearchesAfter = (
  db: Db,
  principal: Principal,
  { after, limit, ...filter }: SavedSearchFilter & CutRequest,
): Promise<Cut<SavedSearch>> => queryCut(db, selectionOf(principal, filter), { keyset: keysetOf(filter), after, limit });
