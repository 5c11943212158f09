import type { SearchFilters } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { analyseQuery } from './analyse-query.ts';
import { filterConditions } from './filter-sql.ts';
import { matchCondition } from './match-sql.ts';
import { parseQuery } from './parse-query.ts';
import { planQuery } from './plan.ts';
import { asksForNothing } from './query.ts';
import { searchScope } from './search-scope.ts';

export interface MatchRequest {
  /** In the language people type, see parseQuery. Empty: the filters alone decide. */
  readonly query: string;
  readonly filters: SearchFilters;
  /** Only among these. */
  readonly documentIds?: readonly string[];
  /** The last id of the part before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/**
 * The ids, in their order, of documents that `principal` may read and that match as they do in a search: nothing is scored or counted. A
 * query that asks for nothing, such as one of exclusions alone, finds nothing here too; an empty one leaves all to the filters.
 */
export const findMatching = async (db: Db, principal: Principal, request: MatchRequest): Promise<string[]> => {
  const scope = searchScope(principal);
  const query = parseQuery(request.query);
  if (scope === undefined || (request.query.trim() !== '' && asksForNothing(query))) return [];
  const plans = planQuery(query, await analyseQuery(db, scope, query));
  if (plans.length === 0) return [];
  const { conditions, needsDocuments } = filterConditions(request.filters);
  const id = sql`document_search.document_id`;
  const among: SQL[] = [
    ...(request.documentIds === undefined ? [] : [sql`${id} = any(${sql.param([...request.documentIds])}::uuid[])`]),
    ...(request.after === undefined ? [] : [sql`${id} > ${request.after}::uuid`]),
  ];
  const { rows } = await db.execute<{ id: string }>(sql`
    select ${id} as id from document_search
    ${needsDocuments ? sql`join documents on documents.id = ${id}` : sql``}
    where ${sql.join([scope.visible, matchCondition(plans), ...conditions, ...among], sql` and `)}
    order by ${id} limit ${request.limit}`);
  return rows.map((row) => row.id);
};
