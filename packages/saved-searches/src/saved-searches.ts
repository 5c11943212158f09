import { type AppError, codedError } from '@sheaf/contract';
import { type Cut, type CutRequest, type Db, makeKeyset, type Position, savedSearchesFor, toCut } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { SavedSearchSortField, SortOrder } from '@sheaf/vocabulary/sort-fields';

/** A saved search as its reader sees it. */
export interface SavedSearch {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  /** As it was stored, maybe by another version. */
  readonly filters: Readonly<Record<string, unknown>>;
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

const COLUMNS = sql`saved_searches.id, saved_searches.name, query, filters, sort, sort_order as "order", columns, is_shared, owner_id,
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

export interface SavedSearchListRequest extends SavedSearchFilter {
  readonly page: number;
  readonly perPage: number;
}

const SORT_KEYS = {
  name: { by: sql`saved_searches.name_key`, type: 'text' },
  created_at: { by: sql`saved_searches.created_at`, type: 'timestamptz' },
  updated_at: { by: sql`saved_searches.updated_at`, type: 'timestamptz' },
} as const satisfies Record<SavedSearchSortField, unknown>;

const keysetOf = ({ sort, order }: SavedSearchFilter) => makeKeyset(order, [SORT_KEYS[sort], { by: sql`saved_searches.id`, type: 'uuid' }]);

const readable = (principal: Principal, { pinned }: SavedSearchFilter): SQL => {
  const isPinned = sql`exists (select from saved_search_pins as pin
    where pin.saved_search_id = saved_searches.id and pin.user_id = ${principal.userId}::uuid)`;
  const which = pinned === undefined ? sql`true` : pinned ? isPinned : sql`not ${isPinned}`;
  return sql`${savedSearchesFor(principal)} and ${which}`;
};

/** One page of the searches of `principal` and those that are shared, and how many there are. */
export const listSavedSearches = async (
  db: Db,
  principal: Principal,
  { page, perPage, ...filter }: SavedSearchListRequest,
): Promise<{ rows: SavedSearch[]; total: number }> => {
  const where = readable(principal, filter);
  const [found, counted] = await Promise.all([
    db.execute<SavedSearchRow>(sql`${selectSavedSearches(principal)} where ${where}
      order by ${keysetOf(filter).order} limit ${perPage} offset ${(page - 1) * perPage}`),
    db.execute<{ total: number }>(sql`select count(*)::int as total from saved_searches where ${where}`),
  ]);
  return { rows: found.rows.map(toSavedSearch), total: counted.rows[0]?.total ?? 0 };
};

/** The same behind `after`, at most `limit`. */
export const listSavedSearchesAfter = async (
  db: Db,
  principal: Principal,
  { after, limit, ...filter }: SavedSearchFilter & CutRequest,
): Promise<Cut<SavedSearch>> => {
  const keyset = keysetOf(filter);
  const { rows } = await db.execute<SavedSearchRow & { readonly position_of_row: Position }>(
    sql`${selectSavedSearches(principal, sql`, ${keyset.position} as position_of_row`)}
      where ${readable(principal, filter)} and ${keyset.behind(after) ?? sql`true`} order by ${keyset.order} limit ${limit + 1}`,
  );
  const found = rows.map((row) => ({ position: row.position_of_row, search: toSavedSearch(row) }));
  return toCut(found, limit, ({ search }) => search);
};
