import type { SearchBody, SearchFilters, SearchSort } from '@sheaf/contract/search';
import type { Db } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { fieldConditions } from '@sheaf/documents/custom-fields';
import { EXACT_TOTAL_LIMIT } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { analyseQuery } from './analyse-query.ts';
import { countPart, findStrongHits, type RankedQuery } from './bounded-search.ts';
import { conditionScore } from './condition-terms.ts';
import { furtherConditions, withWords } from './conditions/document-conditions.ts';
import { correctQuery } from './correct-words.ts';
import { facetsOf, totalOf } from './facets.ts';
import { filterConditions } from './filter-sql.ts';
import { type HitRow, NO_NAMES, readDetails } from './hit-details.ts';
import { type MatchBound, matchBound } from './match-bound.ts';
import { matchCondition } from './match-sql.ts';
import { searchOrder } from './order-sql.ts';
import { readQuery } from './parse-query.ts';
import { type HitPassage, markPassages, marksNotes, marksOfHit } from './passages.ts';
import { planQuery, type SharedPlan } from './plan.ts';
import { asksForNothing, EMPTY_QUERY, type Query } from './query.ts';
import { normJoin, scoreExpression } from './score-sql.ts';
import { type SearchScope, searchScope } from './search-scope.ts';
import { type SearchRow, type SearchStatement, searchStatement } from './search-sql.ts';
import { warnOfFields } from './unknown-fields.ts';
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
  /** Matches up to which all are read, counted and ranked. */
  readonly exactLimit?: number;
}

const EMPTY_ROW: SearchRow = { groups: [], facts: [], labels: [], hits: [] };
const EMPTY_BODY: SearchBody = {
  results: [],
  total: 0,
  facets: facetsOf(EMPTY_ROW, NO_NAMES),
};

const toHit = (hit: HitRow, score: number, passage: HitPassage | undefined): SearchBody['results'][number] => ({
  document_id: hit.document_id,
  title: hit.title,
  score,
  highlights: [...(passage?.highlights ?? [])],
  page: passage?.page ?? null,
  filename: hit.filename,
  mime_type: hit.mime_type,
  created_at: new Date(hit.created_ms).toISOString(),
  document_date: hit.document_date,
  correspondent: hit.correspondent,
  document_type: hit.document_type,
});

/** The score by words, and what is wanted beside them. */
const totalScore = (plans: readonly SharedPlan[], byWords: SQL): SQL => {
  const byConditions = conditionScore(plans[0]?.plan.scoredConditions ?? []);
  return byConditions === undefined ? byWords : sql`(${byWords} + ${byConditions})`;
};

type Answer = SearchOptions & { readonly titleWeight?: number; readonly exactLimit?: number; readonly fields: SQL | undefined };

/** Whether the best come first: any other order is known only when every match was read. */
const isByRelevance = ([first]: readonly SearchSort[] = []): boolean =>
  first === undefined || ((first.field === 'score' || first.field === 'relevance') && first.order === 'desc');

interface Found extends SearchRow {
  readonly total: number;
  /** Only a part of the matches was counted. */
  readonly isPart?: boolean;
}

const readWhole = async (db: Db, statement: SearchStatement, most?: number): Promise<Found> => {
  const { rows } = await db.execute<SearchRow>(searchStatement(statement, most));
  const row = rows[0] ?? EMPTY_ROW;
  return { ...row, total: totalOf(row) };
};

/**
 * Reads every match where the statistics of words say that these are at most `limit`, and no more than about as many where they are more:
 * then the total is that of the statistics or a lower bound, the facets are of a part, and the page comes from the documents in
 * which the words are strong. What has too few of these is read whole.
 */
const find = async (db: Db, ranked: RankedQuery, bound: MatchBound, limit: number): Promise<Found> => {
  const { statement } = ranked;
  const isCounted = bound.isExact && statement.filters.conditions.length === 0;
  const first = isCounted ? undefined : await readWhole(db, statement, limit + 1);
  if (first !== undefined && first.total <= limit) return first;
  const hits = await findStrongHits(db, ranked);
  if (hits === undefined) return readWhole(db, statement);
  const counts = first ?? (await countPart(db, ranked, limit)) ?? EMPTY_ROW;
  return { ...counts, hits, total: isCounted ? bound.atMost : limit, isPart: true };
};

/** The hits of the page with what is shown of them, and the facets. */
const describe = async (
  db: Db,
  found: Found,
  plans: readonly SharedPlan[],
  withHighlights: boolean,
): Promise<Pick<SearchBody, 'results' | 'facets'>> => {
  const { hits, names } = await readDetails(db, {
    hits: found.hits.map((hit) => ({ ...hit, marks: marksOfHit(plans, hit) })),
    counts: found,
    withText: withHighlights,
    withNotes: withHighlights && marksNotes(plans),
  });
  const passages = withHighlights ? await markPassages(db, hits, plans) : undefined;
  const scores = new Map(found.hits.map((hit) => [hit.document_id, hit.score]));
  const results = hits.map((hit) =>
    toHit(
      hit,
      scores.get(hit.document_id) ?? 0,
      passages === undefined ? { page: hit.page, highlights: [] } : passages.get(hit.document_id),
    ),
  );
  return { results, facets: facetsOf(found, names) };
};

/** Answers one query as it is, within `scope`. */
const answer = async (db: Db, scope: SearchScope, query: Query, request: Answer): Promise<SearchBody> => {
  const { titleWeight = TITLE_WEIGHT, exactLimit = EXACT_TOTAL_LIMIT } = request;
  const analysis = await analyseQuery(db, scope, query);
  const plans = planQuery(query, analysis);
  if (plans.length === 0) return EMPTY_BODY;
  const bound = matchBound(plans, analysis);
  const { until, fields } = request;
  const statement: SearchStatement = {
    visible: scope.visible,
    match: matchCondition(plans),
    filters: filterConditions(request.filters, { matchesByWords: bound.byWords, until, fields, hasSimilar: scope.hasSimilar }),
    norm: normJoin(analysis),
    score: totalScore(plans, scoreExpression(plans, analysis, { titleWeight })),
    order: searchOrder(request.sort),
    limit: request.perPage,
    offset: (request.page - 1) * request.perPage,
  };
  const isBounded =
    bound.atMost > exactLimit && isByRelevance(request.sort) && plans.every(({ plan }) => plan.scoredConditions.length === 0);
  const found = isBounded
    ? await find(db, { statement, plans, analysis, titleWeight, matches: bound.atMost }, bound, exactLimit)
    : await readWhole(db, statement);
  const { results, facets } = await describe(db, found, plans, request.highlight);
  return {
    results,
    total: found.total,
    ...(analysis.isTruncated ? { words_truncated: true } : {}),
    ...(found.total > exactLimit || found.isPart === true ? { total_is_lower_bound: true } : {}),
    ...(found.isPart === true ? { facets_are_lower_bounds: true } : {}),
    facets,
  };
};

/**
 * Finds, counts and ranks what `principal` may read. Nothing of the answer depends on other documents: totals, facets, highlights and
 * corrections do not, and neither do scores, as words are counted within what may be read. Throws VALIDATION_ERROR where a filter is about a
 * custom field that is none, or compares it otherwise than its type allows.
 */
export const searchByQuery = async (db: Db, principal: Principal, { query: asked, ...options }: QueryRequest): Promise<SearchBody> => {
  const scope = searchScope(principal);
  const { conditions, fields: values } = options.filters;
  const fields = await furtherConditions(db, principal, options.filters, await fieldConditions(db, principal, values, 'filters.fields'));
  if (scope === undefined) return EMPTY_BODY;
  const query = withWords(asked, conditions);
  const request = { ...options, fields };
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
 * nothing but exclusions finds nothing, an empty one whatever passes the filters. What of it was not understood is in the warnings.
 */
export const search = async (db: Db, principal: Principal, { q, ...options }: SearchRequest): Promise<SearchBody> => {
  if (q.trim() === '') return searchByQuery(db, principal, { ...options, query: EMPTY_QUERY });
  const { query, warnings: typed } = readQuery(q);
  const warnings = [...typed, ...(await warnOfFields(db, query))];
  const body = asksForNothing(query) ? EMPTY_BODY : await searchByQuery(db, principal, { ...options, query });
  return warnings.length === 0 ? body : { ...body, warnings };
};
