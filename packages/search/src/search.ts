import { EXACT_TOTAL_LIMIT, type Principal, type SearchBody, type SearchFilters, scopeOf } from '@sheaf/contract';
import { type Db, documentSearch, ownedBy } from '@sheaf/db';
import { analyseQuery } from './analyse-query.ts';
import { type CorrectedAnalysis, correctWords } from './correct-words.ts';
import { filterConditions } from './filter-sql.ts';

import { matchCondition } from './match-sql.ts';
import { parseQuery } from './parse-query.ts';
import { findPages, findPassages, type HitPassage } from './passages.ts';
import { planQuery } from './plan.ts';
import { asksForNothing, type Query } from './query.ts';
import { normJoin, scoreExpression } from './score-sql.ts';
import { type HitRow, type SearchRow, searchStatement } from './search-sql.ts';
import { readFrequencies } from './term-frequencies.ts';

/** Once in the title counts like so often in a text of average length. */
const TITLE_WEIGHT = 4;

export interface SearchOptions {
  readonly filters: SearchFilters;
  readonly page: number;
  readonly perPage: number;
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

const EMPTY_BODY: SearchBody = { results: [], total: 0, facets: { mime_types: {}, labels: {} } };

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

/** What the words of the question are in the index, corrected if that is wanted. */
const understand = async (db: Db, { query, fuzzy }: QueryRequest): Promise<CorrectedAnalysis> => {
  const analysis = await analyseQuery(db, query);
  const frequencies = await readFrequencies(db, analysis.lexemes);
  return fuzzy ? correctWords(db, query, analysis, frequencies) : { analysis, frequencies };
};

/**
 * Finds, counts and ranks what `principal` may read. Totals, facets and highlights tell of nothing else; scores do depend on how
 * common a word is among all documents.
 */
export const searchByQuery = async (db: Db, principal: Principal, request: QueryRequest): Promise<SearchBody> => {
  const scope = scopeOf(principal.permissions, 'documents.read');
  if (scope === 'none' || asksForNothing(request.query)) return EMPTY_BODY;
  const { analysis, frequencies } = await understand(db, request);
  const plans = planQuery(request.query, analysis);
  if (plans.length === 0) return EMPTY_BODY;
  const { rows } = await db.execute<SearchRow>(
    searchStatement({
      visible: ownedBy(scope, principal.userId, documentSearch.ownerId),
      match: matchCondition(plans),
      filters: filterConditions(request.filters),
      norm: normJoin(analysis),
      score: scoreExpression(plans, analysis, frequencies, { titleWeight: request.titleWeight ?? TITLE_WEIGHT }),
      limit: request.perPage,
      offset: (request.page - 1) * request.perPage,
    }),
  );
  const row = rows[0] ?? { total: 0, mime_types: {}, labels: {}, hits: [] };
  const passages = await (request.highlight ? findPassages : findPages)(db, row.hits, plans);
  return {
    results: row.hits.map((hit) => toHit(hit, passages.get(hit.document_id))),
    total: row.total,
    ...(row.total > EXACT_TOTAL_LIMIT ? { total_is_lower_bound: true } : {}),
    facets: { mime_types: row.mime_types, labels: row.labels },
  };
};

/** Search in the language people type, see parseQuery. Whatever `q` is, the answer is a result, if an empty one. */
export const search = (db: Db, principal: Principal, { q, ...options }: SearchRequest): Promise<SearchBody> =>
  searchByQuery(db, principal, { ...options, query: parseQuery(q) });
