import { searchFilters } from '@sheaf/contract/search';
import { type Db, isCancelledStatement } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { countMatching, type MatchCount, type StoredQuestion } from '../index.ts';
import type { SavedSearch } from './saved-searches.ts';

/** How long each statement of one count may take, and how long the counts of one list may take before the others are left out. */
export interface CountLimits {
  readonly statementMs: number;
  readonly totalMs: number;
}

const LIMITS: CountLimits = { statementMs: 500, totalMs: 2_000 };

/** What is asked; undefined where this version does not understand the filters. */
export const questionOf = ({ query, filters }: Pick<SavedSearch, 'query' | 'filters'>): StoredQuestion | undefined => {
  const parsed = searchFilters.safeParse(filters);
  return parsed.success ? { query, filters: parsed.data } : undefined;
};

/** What `work` answers with statements of at most `ms`; undefined where one took longer. */
export const withinMs = async <T>(db: Db, ms: number, work: (tx: Db) => Promise<T>): Promise<T | undefined> => {
  try {
    return await db.transaction(async (tx) => {
      await tx.execute(sql`select set_config('statement_timeout', ${String(Math.max(1, Math.ceil(ms)))}, true)`);
      return work(tx);
    });
  } catch (error) {
    if (isCancelledStatement(error)) return undefined;
    throw error;
  }
};

/** How many documents `principal` finds by each of the searches, by its id. Missing where that is not known within the limits. */
export const countResults = async (
  db: Db,
  principal: Principal,
  searches: readonly SavedSearch[],
  { statementMs, totalMs }: CountLimits = LIMITS,
): Promise<Map<string, MatchCount>> => {
  const endMs = performance.now() + totalMs;
  const counts = new Map<string, MatchCount>();
  for (const search of searches) {
    const leftMs = endMs - performance.now();
    const question = questionOf(search);
    if (leftMs <= 0 || question === undefined) continue;
    const counted = await withinMs(db, Math.min(statementMs, leftMs), (tx) => countMatching(tx, principal, question));
    if (counted !== undefined) counts.set(search.id, counted);
  }
  return counts;
};
