import type { Db } from '@sheaf/db';
import { parseQuery, searchByQuery } from '@sheaf/search';
import { BUILT_IN_ROLES } from '@sheaf/vocabulary/permissions';
import { LIBRARY, userId } from './search-library.ts';

const TOP = 10;
const PRINCIPAL = {
  userId: userId(2),
  username: LIBRARY.viewer,
  role: 'viewer',
  permissions: BUILT_IN_ROLES.viewer,
  via: 'token',
} as const;

const topOf = async (db: Db, q: string, exactLimit: number): Promise<{ ids: string[]; isPart: boolean }> => {
  const request = { query: parseQuery(q), filters: {}, page: 1, perPage: TOP, highlight: false, fuzzy: false, exactLimit };
  const { results, facets_are_lower_bounds: isPart = false } = await searchByQuery(db, PRINCIPAL, request);
  return { ids: results.map(({ document_id: id }) => id), isPart };
};

export interface Overlap {
  /** Mean part of the exact first ten that the bounded search has among its own. */
  readonly overlap: number;
  /** Queries that had more matches than the limit. */
  readonly queries: number;
}

/** The first ten of a search that reads no more than `limit` matches against those of one that reads all. */
export const rankingOverlap = async (db: Db, questions: readonly string[], limit: number): Promise<Overlap> => {
  const overlaps: number[] = [];
  for (const q of questions) {
    const bounded = await topOf(db, q, limit);
    if (!bounded.isPart) continue;
    const exact = await topOf(db, q, Number.MAX_SAFE_INTEGER);
    overlaps.push(bounded.ids.filter((id) => exact.ids.includes(id)).length / Math.max(exact.ids.length, 1));
  }
  return { overlap: overlaps.reduce((sum, value) => sum + value, 0) / Math.max(overlaps.length, 1), queries: overlaps.length };
};
