import type { SearchFilters } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { EXACT_TOTAL_LIMIT } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { analyseQuery } from './analyse-query.ts';
import { filterConditions } from './filter-sql.ts';
import { matchCondition } from './match-sql.ts';
import { parseQuery } from './parse-query.ts';
import { planQuery } from './plan.ts';
import { asksForNothing, EMPTY_QUERY, type Query } from './query.ts';
import { searchScope } from './search-scope.ts';

/** A question that is kept to be asked again. Without a query it is about every document that passes the filters. */
export interface StoredQuestion {
  readonly q: string;
  readonly filters: SearchFilters;
}

const queryOf = (q: string): Query | undefined => {
  if (q.trim() === '') return EMPTY_QUERY;
  const query = parseQuery(q);
  return asksForNothing(query) ? undefined : query;
};

/** `from` and `where` of the documents that `principal` finds by the question; undefined where he finds none. */
const matching = async (db: Db, principal: Principal, { q, filters }: StoredQuestion): Promise<SQL | undefined> => {
  const scope = searchScope(principal);
  const query = queryOf(q);
  if (scope === undefined || query === undefined) return undefined;
  const plans = planQuery(query, await analyseQuery(db, scope, query));
  if (plans.length === 0) return undefined;
  const { conditions, needsDocuments } = filterConditions(filters);
  return sql`from document_search ${needsDocuments ? sql`join documents on documents.id = document_search.document_id` : sql``}
    where ${sql.join([scope.visible, matchCondition(plans), ...conditions], sql` and `)}`;
};

export interface MatchCount {
  readonly count: number;
  /** There may be more. */
  readonly isLowerBound: boolean;
}

/** How many documents `search` finds for `principal`, without ranking them; no more than EXACT_TOTAL_LIMIT are counted. */
export const countMatches = async (db: Db, principal: Principal, question: StoredQuestion): Promise<MatchCount> => {
  const matches = await matching(db, principal, question);
  if (matches === undefined) return { count: 0, isLowerBound: false };
  const { rows } = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from (select ${matches} limit ${EXACT_TOTAL_LIMIT + 1}) as matched`,
  );
  const count = rows[0]?.count ?? 0;
  return { count: Math.min(count, EXACT_TOTAL_LIMIT), isLowerBound: count > EXACT_TOTAL_LIMIT };
};

/** Those of the documents that `principal` finds by the question. */
export const findMatchesAmong = async (
  db: Db,
  principal: Principal,
  question: StoredQuestion,
  documentIds: readonly string[],
): Promise<string[]> => {
  if (documentIds.length === 0) return [];
  const matches = await matching(db, principal, question);
  if (matches === undefined) return [];
  const { rows } = await db.execute<{ document_id: string }>(
    sql`select document_search.document_id ${matches} and document_search.document_id = any(${sql.param([...documentIds])}::uuid[])`,
  );
  return rows.map((row) => row.document_id);
};
