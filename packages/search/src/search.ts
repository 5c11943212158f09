import type { AdvancedSearchRequest, SearchBody, SearchFilters, SearchSort } from '@sheaf/contract/search';
import { type Db, runPrepared } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { fieldConditions, findFieldsByName } from '@sheaf/documents/custom-fields';
import { EXACT_TOTAL_LIMIT } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { analyseQuery } from './analyse-query.ts';
import { countPart, findStrongHits, type RankedQuery } from './bounded-search.ts';
import { furtherConditions, withWords } from './conditions/document-conditions.ts';
import { correctQuery } from './correct-words.ts';
import { filterConditions, notesText } from './filter-sql.ts';
import { type MatchBound, matchBound } from './match-documents.ts';
import { conditionScore, matchCondition } from './match-sql.ts';
import { type QueryWarning, readQuery, WarningList } from './parse-query.ts';
import { type HitPassage, markPassages, marksNotes, marksOfHit, type PassageHit, passageJoin } from './passages.ts';
import { planQuery, type SharedPlan } from './plan.ts';
import { asksForNothing, EMPTY_QUERY, isCondition, type Query } from './query.ts';
import { type SearchScope, searchScope } from './search-scope.ts';
import {
  type CountsRow,
  normJoin,
  type SearchRow,
  type SearchStatement,
  scoreExpression,
  searchOrder,
  searchStatement,
} from './search-sql.ts';
import { ANY, fieldNameOf, isFieldTerm, writeQuery } from './write-query.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** A document of the page as it is shown. */
interface HitRow extends PassageHit {
  readonly filename: string;
  readonly mime_type: string;
  readonly created_ms: number;
  readonly document_date: string | null;
  readonly correspondent: Named | null;
  readonly document_type: Named | null;
}

/** Names of what matches are counted by, in the order of lists. */
interface Names {
  readonly labels: readonly Named[];
  readonly correspondents: readonly Named[];
  readonly document_types: readonly Named[];
}

const NO_NAMES: Names = { labels: [], correspondents: [], document_types: [] };

interface AskedHit {
  readonly document_id: string;
  readonly configuration: string;
  /** A tsquery of what is to be marked in its text; null for nothing. */
  readonly marks: string | null;
}

interface DetailsRequest {
  readonly hits: readonly AskedHit[];
  readonly counts: CountsRow;
  readonly withText: boolean;
  readonly withNotes: boolean;
}

interface DetailsRow extends Names, Record<string, unknown> {
  readonly hits: readonly HitRow[];
}

const distinct = (ids: readonly (string | null)[]): string[] => [...new Set(ids.filter((id) => id !== null))];

/** With the copy of the name that stands in the document. */
const named = (field: 'correspondent' | 'document_type'): SQL => {
  const [id, name] = [sql.raw(`documents.${field}_id`), sql.raw(`documents.${field}_key`)];
  return sql`case when ${id} is not null then json_build_object('id', ${id}, 'name', ${name}) end`;
};

/** Of `table`, in the order of `key`. */
const namesOf = (table: 'labels' | 'correspondents' | 'document_types', key: 'name' | 'name_key', ids: readonly string[]): SQL => {
  const order = sql.raw(`${key}, id`);
  return sql`(select coalesce(json_agg(json_build_object('id', id, 'name', name) order by ${order}), '[]')
    from ${sql.raw(table)} where id = any(${sql.param(ids)}::uuid[])) as ${sql.raw(table)}`;
};

/**
 * What is shown of the hits, in their order, and the names of what is counted. A statement of its own because it is the same for all searches:
 * it is planned once a connection. A document that has gone since it was found is left out.
 */
const readDetails = async (
  db: Db,
  { hits, counts, withText, withNotes }: DetailsRequest,
): Promise<{ hits: readonly HitRow[]; names: Names }> => {
  if (hits.length === 0 && counts.labels.length === 0 && counts.facts.length === 0) return { hits: [], names: NO_NAMES };
  const [row] = await runPrepared<DetailsRow>(db, {
    name: 'search_details',
    text: sql`
    select (select coalesce(json_agg(json_build_object('document_id', documents.id, 'configuration', hit.configuration, 'title', documents.title,
        'filename', documents.filename, 'mime_type', documents.mime_type, 'created_ms', floor(extract(epoch from documents.created_at) * 1000),
        'page', passage.page, 'text', passage.text,
        'notes', case when ${withNotes}::boolean and documents.notes_count > 0 then ${notesText(sql`documents.id`)} end,
        'document_date', documents.document_date, 'correspondent', ${named('correspondent')}, 'document_type', ${named('document_type')})
        order by hit.place), '[]')
      from unnest(${sql.param(hits.map((hit) => hit.document_id))}::uuid[], ${sql.param(hits.map((hit) => hit.configuration))}::text[],
        ${sql.param(hits.map((hit) => hit.marks))}::text[]) with ordinality as hit (document_id, configuration, marks, place)
      join documents on documents.id = hit.document_id ${passageJoin(withText)}) as hits,
      ${namesOf('labels', 'name', distinct(counts.labels.map(([id]) => id)))}, ${namesOf(
        'correspondents',
        'name_key',
        distinct(counts.facts.map(([, id]) => id)),
      )}, ${namesOf('document_types', 'name_key', distinct(counts.facts.map(([, , id]) => id)))}`,
  });
  if (row === undefined) throw new Error('a statement without a table has one row');
  return { hits: row.hits, names: row };
};

type Facets = SearchBody['facets'];
type Counts = ReadonlyMap<string, number>;

/** How many matches have a value, the common ones first, then by value. */
const inOrder = (counts: Counts): Record<string, number> =>
  Object.fromEntries([...counts].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)));

const sumBy = <Row>(rows: readonly Row[], valueOf: (row: Row) => string | null, countOf: (row: Row) => number): Counts => {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const value = valueOf(row);
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + countOf(row));
  }
  return counts;
};

/** The named ones with their counts, the common ones first, then as they are given. */
const withCounts = (counts: Counts, names: readonly Named[]): Facets['correspondents'] =>
  names.map(({ id, name }) => ({ id, name, count: counts.get(id) ?? 0 })).toSorted((a, b) => b.count - a.count);

const totalOf = ({ groups }: CountsRow): number => groups.reduce((total, [, , , , documents]) => total + documents, 0);

/** How the matches part by what they are. What has lost its name since it was counted is left out. */
const facetsOf = ({ groups, facts, labels }: CountsRow, names: Names): Facets => {
  const ofGroups = (at: 0 | 1 | 2 | 3): Record<string, number> =>
    inOrder(
      sumBy(
        groups,
        (group) => (group[at] === null ? null : String(group[at])),
        (group) => group[4],
      ),
    );
  const ofFacts = (at: 0 | 1 | 2): Counts =>
    sumBy(
      facts,
      (fact) => (fact[at] === null ? null : String(fact[at])),
      (fact) => fact[3],
    );
  const labelNames = new Map(names.labels.map(({ id, name }) => [id, name]));
  return {
    mime_types: ofGroups(0),
    labels: inOrder(
      sumBy(
        labels,
        ([id]) => labelNames.get(id) ?? null,
        ([, documents]) => documents,
      ),
    ),
    sources: ofGroups(1),
    years: ofGroups(3),
    languages: ofGroups(2),
    document_years: inOrder(ofFacts(0)),
    correspondents: withCounts(ofFacts(1), names.correspondents),
    document_types: withCounts(ofFacts(2), names.document_types),
  };
};

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

/** Warns of custom fields that do not exist, or cannot be searched as links cannot. */
const warnOfFields = async (db: Db, { must, should, mustNot }: Query): Promise<readonly QueryWarning[]> => {
  const terms = [...must, ...should, ...mustNot].flat().filter(isCondition).filter(isFieldTerm);
  const names = [...new Set(terms.map(fieldNameOf))].filter((name) => name !== ANY);
  const warnings = new WarningList();
  const known = names.length === 0 ? new Map() : await findFieldsByName(db, names);
  for (const name of names) if ((known.get(name)?.type ?? 'document') === 'document') warnings.add('unknown_custom_field', name);
  return warnings.all;
};

/** What of a query that is kept was not understood. */
export const warningsOf = async (db: Db, text: string): Promise<readonly QueryWarning[]> => {
  const { query, warnings } = readQuery(text);
  return [...warnings, ...(await warnOfFields(db, query))];
};

const WORD_CLAUSES: ReadonlySet<string> = new Set(['any', 'title', 'filename', 'content', 'note']);

/** Warns of clauses that ask for words and have none, which are as if they were not there. */
export const warningsOfClauses = ({ must, should, must_not: mustNot }: AdvancedSearchRequest['query']): readonly QueryWarning[] => {
  const warnings = new WarningList();
  for (const { field, value } of [...must, ...should, ...mustNot])
    if (WORD_CLAUSES.has(field) && !/[\p{L}\p{N}]/u.test(String(value))) warnings.add('no_words', String(value));
  return warnings.all;
};
