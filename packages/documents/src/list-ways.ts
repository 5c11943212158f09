import { and, type SQL, sql } from '@sheaf/db/drizzle';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { type LabelLookup, matching } from './document-filter.ts';
import { type OrderedFilter, ofSortKey, orderOf } from './list-order.ts';

export interface PageWanted {
  /** Documents that match. */
  readonly total: number;
  /** Documents that the caller may read. */
  readonly readable: number;
  /** Documents of the order to be found: those of the page and those before it. */
  readonly needed: number;
  /** Whether a condition may need other tables, as labels and custom fields do. */
  readonly needsOthers: boolean;
}

/**
 * How a page is found. `gather`: all documents that match, to be sorted. `walk`: along the index of the order until enough of them match,
 * at most over `reach` documents.
 */
export type Way = { readonly kind: 'gather' } | { readonly kind: 'walk'; readonly reach: number; readonly lookup: LabelLookup };

/** Along the index to its end. */
export const WHOLE_WALK: Way = { kind: 'walk', reach: Number.POSITIVE_INFINITY, lookup: 'planned' };

/** A document that is gathered costs as much as four that are walked over: the walk reads nothing but an index. */
const GATHERED_COST = 4;

/** To put a document into a table of hashes costs a fifth of a look at its labels on the way. */
const HASHED_PER_LOOK = 5;

/** A walk that goes on for so many times what was expected has met a filter that depends on the order. */
const PATIENCE = 4;

/** A walk over fewer documents is a short one. */
const SHORT_WALK = 1_000;

/**
 * The ways to try one after the other, the last of which finds the page in any case. PostgreSQL expects what matches to be spread evenly
 * over any order. It is not: what was taken in last year is at one end of most of them, and a walk from the other end passes the whole
 * library (2 s at a million documents). How many match is known, so that a walk can be given up that takes longer than it should, or longer
 * than it takes to gather them. Where other tables are needed, the planner knows better when to begin with those.
 */
export const waysToPage = ({ total, readable, needed, needsOthers }: PageWanted): readonly Way[] => {
  if (total >= readable) return [WHOLE_WALK];
  const expected = (needed * readable) / Math.max(1, total);
  if (needsOthers) {
    const isFar = expected > SHORT_WALK && total < HASHED_PER_LOOK * expected;
    return [isFar ? { ...WHOLE_WALK, lookup: 'hashed' } : WHOLE_WALK];
  }
  if (GATHERED_COST * total < expected) return [{ kind: 'gather' }];
  if (GATHERED_COST * total >= readable) return [WHOLE_WALK];
  const reach = Math.max(SHORT_WALK, Math.min(Math.ceil(PATIENCE * expected), GATHERED_COST * total));
  return reach >= readable ? [WHOLE_WALK] : [{ kind: 'walk', reach, lookup: 'planned' }, { kind: 'gather' }];
};

/** Rows of `documents` by one of the ways, with the condition that is left to check on them: what to put behind `from`. */
export const rowsBy = (way: Way, principal: Principal, request: OrderedFilter, behind?: SQL): SQL => {
  const wanted = and(matching(principal, request, way.kind === 'walk' ? way.lookup : 'planned'), behind);
  // `offset 0` keeps PostgreSQL from walking along the index of the order after all
  if (way.kind === 'gather') return sql`(select * from documents where ${wanted} offset 0) as documents`;
  if (way.reach === Number.POSITIVE_INFINITY) return sql`documents where ${wanted}`;
  const passed = and(matching(principal, ofSortKey(request)), behind);
  return sql`(select * from documents where ${passed} order by ${sql.join(orderOf(request), sql`, `)} limit ${sql.raw(String(way.reach))}) as documents
    where ${wanted}`;
};
