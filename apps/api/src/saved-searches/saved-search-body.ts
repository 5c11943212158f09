import type { SavedSearchBody } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import { warningsOf } from '@sheaf/search';
import { countResults, type SavedSearch } from '@sheaf/search/saved-searches';
import type { Principal } from '@sheaf/vocabulary/permissions';

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
export const toSavedSearchBodies = async (
  db: Db,
  principal: Principal,
  searches: readonly SavedSearch[],
  { with_counts: withCounts }: { readonly with_counts: boolean },
): Promise<SavedSearchBody[]> => {
  const counted = searches.filter(({ position }) => withCounts || position !== undefined);
  const counts = await countResults(db, principal, counted);
  return Promise.all(searches.map((search) => toBody(db, search, counts)));
};
