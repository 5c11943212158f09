import type { SearchBody, SearchFilters, SearchSort } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { EXACT_TOTAL_LIMIT } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { analyseQuery } from './analyse-query.ts';
import { conditionScore } from './condition-terms.ts';
import { correctQuery } from './correct-words.ts';
import { filterConditions } from './filter-sql.ts';
import { matchCondition } from './match-sql.ts';
import { searchOrder } from './order-sql.ts';
import { parseQuery } from './parse-query.ts';
import { type HitPassage, markPassages, passageJoin } from './passages.ts';
import { planQuery, type SharedPlan } from './plan.ts';
import { asksForNothing, type Query } from './query.ts';
import { normJoin, scoreExpression } from './score-sql.ts';
import { type SearchScope, searchScope } from './search-scope.ts';
import { type HitRow, type SearchRow, searchStatement } from './search-sql.ts';
import { writeQuery } from './write-query.ts';

/** Once in the title counts like so often in a text of average length. */
const TITLE_WEIGHT = 4;

export interface SearchOptions {
  readonly filters: SearchFilters;
  /** By relevance where nothing is said. */
  readonly sort?: readonly SearchSort[];
  readonly page: number;
  readonly perPage: number;
  /** Leaves out what came in later. */
  readonly until?: Date;
  readonly highlight: boolean;
  readonly fuzzy: boolean;
}

export interface SearchRequest extends SearchOptions {
  readonly q: string;
}

/** A question that is already taken apart; `titleWeight: 0` makes title and text one field. */
export interface QueryRequest extends SearchOptions {
  readonly query: Query;
  readonly titleWeight?: number;
}

const EMPTY_ROW: SearchRow = { total: 0, mime_types: {}, labels: {}, sources: {}, years: {}, languages: {}, hits: [] };
const EMPTY_BODY: SearchBody = { results: [], total: 0, facets: { mime_types: {}, labels: {}, sources: {}, years: {}, languages: {} } };

const toHit = (hit: HitRow, passage: HitPassage | undefined): SearchBody['results'][number] => ({
  document_id: hit.document_id,
  title: hit.title,
  score: hit.score,
  highlights: [...(passage?.highlights ?? [])],
  page: passage?.page ?? null,
  filename: hit.filename,
  mime_type: hit.mime_type,
  created_at: new Date(hit.created_ms).toISOString(),
});

/** The score by words, and what is wanted beside them. */
const totalScore = (plans: readonly SharedPlan[], byWords: SQL): SQL => {
  const byConditions = conditionScore(plans[0]?.plan.scoredConditions ?? []);
  return byConditions === undefined ? byWords : sql`(${byWords} + ${byConditions})`;
};

/** Answers one query as it is, within `scope`. */
const answer = async (
  db: Db,
  scope: SearchScope,
  query: Query,
  request: SearchOptions & { readonly titleWeight?: number },
): Promise<SearchBody> => {
  const analysis = await analyseQuery(db, scope, query);
  const plans = planQuery(query, analysis);
  if (plans.length === 0) return EMPTY_BODY;
  const score = scoreExpression(plans, analysis, { titleWeight: request.titleWeight ?? TITLE_WEIGHT });
  const { rows } = await db.execute<SearchRow>(
    searchStatement({
      visible: scope.visible,
      match: matchCondition(plans),
      filters: filterConditions(request.filters, request.until),
      norm: normJoin(analysis),
      score: totalScore(plans, score),
      order: searchOrder(request.sort),
      passage: passageJoin(plans, request.highlight),
      limit: request.perPage,
      offset: (request.page - 1) * request.perPage,
    }),
  );
  const row = rows[0] ?? EMPTY_ROW;
  const passages = request.highlight ? await markPassages(db, row.hits, plans) : undefined;
  return {
    results: row.hits.map((hit) => toHit(hit, passages === undefined ? { page: hit.page, highlights: [] } : passages.get(hit.document_id))),
    total: row.total,
    ...(analysis.isTruncated ? { words_truncated: true } : {}),
    ...(row.total > EXACT_TOTAL_LIMIT ? { total_is_lower_bound: true } : {}),
    facets: { mime_types: row.mime_types, labels: row.labels, sources: row.sources, years: row.years, languages: row.languages },
  };
};

/**
 * Finds, counts and ranks what `principal` may read. Nothing of the answer depends on other documents: totals, facets, highlights and
 * corrections do not, and neither do scores, as words are counted within what may be read.
 */
export const searchByQuery = async (db: Db, principal: Principal, { query, ...request }: QueryRequest): Promise<SearchBody> => {
  const scope = searchScope(principal);
  if (scope === undefined) return EMPTY_BODY;
  if (!request.fuzzy) return answer(db, scope, query, request);
  const corrected = await correctQuery(db, scope, query, 'unknown');
  const body = await answer(db, scope, corrected ?? query, request);
  if (corrected !== undefined) return { ...body, corrected_query: writeQuery(corrected) };
  if (body.total > 0) return body;
  // Choice: where known words find nothing together, one of them may be an error for another known one.
  const other = await correctQuery(db, scope, query, 'rarest');
  const second = other === undefined ? EMPTY_BODY : await answer(db, scope, other, request);
  return other === undefined || second.total === 0 ? body : { ...second, corrected_query: writeQuery(other) };
};

/**
 * Search in the language people type, see parseQuery. Whatever `q` is, the answer is a result, if an empty one: a question of
 * nothing but exclusions finds nothing.
 */
export const search = async (db: Db, principal: Principal, { q, ...options }: SearchRequest): Promise<SearchBody> => {
  const query = parseQuery(q);
  return asksForNothing(query) ? EMPTY_BODY : searchByQuery(db, principal, { ...options, query });
};
