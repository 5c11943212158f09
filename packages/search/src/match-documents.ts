import { AppError } from '@sheaf/contract';
import type { SearchFilters } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { fieldConditions } from '@sheaf/documents/custom-fields';
import { EXACT_TOTAL_LIMIT } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { analyseQuery, type QueryAnalysis } from './analyse-query.ts';
import { furtherConditions, withWords } from './conditions/document-conditions.ts';
import { filterConditions } from './filter-sql.ts';
import { matchCondition } from './match-sql.ts';
import { parseQuery } from './parse-query.ts';
import { type ClausePlan, planQuery, type SharedPlan, type TermPlan } from './plan.ts';
import { asksForNothing } from './query.ts';
import { searchScope } from './search-scope.ts';

/** A question that is kept to be asked again. */
export interface StoredQuestion {
  /** In the language people type, see parseQuery. Empty: the filters alone decide. */
  readonly query: string;
  readonly filters: SearchFilters;
}

const ID = sql`document_search.document_id`;

/** A field may be gone, or of other choices, since the question was stored: then no document has such a value. */
const storedFieldConditions = async (db: Db, principal: Principal, { fields }: SearchFilters): Promise<SQL | undefined> => {
  try {
    return await fieldConditions(db, principal, fields);
  } catch (error) {
    if (error instanceof AppError && error.code === 'VALIDATION_ERROR') return sql`false`;
    throw error;
  }
};

/**
 * `from` and `where` of the documents that `principal` may read and finds by the question; undefined where they find none. A query that asks
 * for nothing, such as one of exclusions alone, finds nothing, as in a search.
 */
const matching = async (db: Db, principal: Principal, { query: q, filters }: StoredQuestion): Promise<SQL | undefined> => {
  const scope = searchScope(principal);
  const typed = parseQuery(q);
  if (scope === undefined || (q.trim() !== '' && asksForNothing(typed))) return undefined;
  const query = withWords(typed, filters.conditions);
  const analysis = await analyseQuery(db, scope, query);
  const plans = planQuery(query, analysis);
  if (plans.length === 0) return undefined;
  const fields = await furtherConditions(db, principal, filters, await storedFieldConditions(db, principal, filters));
  const { byWords } = matchBound(plans, analysis);
  const { conditions, needsDocuments } = filterConditions(filters, { matchesByWords: byWords, fields, hasSimilar: scope.hasSimilar });
  return sql`from document_search ${needsDocuments ? sql`join documents on documents.id = ${ID}` : sql``}
    where ${sql.join([scope.visible, matchCondition(plans), ...conditions], sql` and `)}`;
};

export interface MatchCount {
  readonly count: number;
  /** There may be more. */
  readonly isLowerBound: boolean;
}

/** How many documents `search` finds for `principal`, without ranking them; no more than EXACT_TOTAL_LIMIT are counted. */
export const countMatching = async (db: Db, principal: Principal, question: StoredQuestion): Promise<MatchCount> => {
  const matches = await matching(db, principal, question);
  if (matches === undefined) return { count: 0, isLowerBound: false };
  const { rows } = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from (select ${matches} limit ${EXACT_TOTAL_LIMIT + 1}) as matched`,
  );
  const count = rows[0]?.count ?? 0;
  return { count: Math.min(count, EXACT_TOTAL_LIMIT), isLowerBound: count > EXACT_TOTAL_LIMIT };
};

export interface MatchRequest extends StoredQuestion {
  /** Only among these. */
  readonly documentIds?: readonly string[];
  /** The last id of the part before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The ids, in their order, of documents that `search` finds for `principal`: nothing is scored or counted. */
export const findMatching = async (
  db: Db,
  principal: Principal,
  { documentIds, after, limit, ...question }: MatchRequest,
): Promise<string[]> => {
  const matches = await matching(db, principal, question);
  if (matches === undefined) return [];
  const among = documentIds === undefined ? sql`` : sql`and ${ID} = any(${sql.param([...documentIds])}::uuid[])`;
  const behind = after === undefined ? sql`` : sql`and ${ID} > ${after}::uuid`;
  const { rows } = await db.execute<{ id: string }>(sql`select ${ID} as id ${matches} ${among} ${behind} order by ${ID} limit ${limit}`);
  return rows.map((row) => row.id);
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** How many documents match, as far as the statistics of words tell. */
export interface MatchBound {
  /** No more than that. */
  readonly atMost: number;
  /** Undefined: words say nothing of how many match. */
  readonly byWords: number | undefined;
  /** That many and no fewer: each document with a word, and nothing else is asked. */
  readonly isExact: boolean;
}

/** What `plans` find before any filter. */
export const matchBound = (plans: readonly SharedPlan[], { documents, configurations }: QueryAnalysis): MatchBound => {
  const ofTerm = (term: TermPlan): number => (term.condition === undefined && !term.isNegated ? (term.atMost ?? documents) : documents);
  const ofClause = (clause: ClausePlan): number => sum(clause.map(ofTerm));
  // a word that is the same in several languages is counted for each of them
  const atMost = Math.min(documents, sum(plans.map(({ plan }) => Math.min(documents, ...plan.required.map(ofClause)))));
  const [only] = plans;
  const clause = only?.plan.required.length === 1 && only.plan.excluded.length === 0 ? only.plan.required[0] : undefined;
  const [term] = clause ?? [];
  const isOneWord = clause?.length === 1 && term?.condition === undefined && term?.isCounted === true && !term.isNegated;
  return {
    atMost,
    byWords: atMost < documents ? atMost : undefined,
    isExact: isOneWord && plans.length === 1 && only?.configurations.length === configurations.length,
  };
};
