import type { SearchSort } from '@sheaf/contract/search';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { sortKeyOf } from '@sheaf/documents';
import type { SearchSortField } from '@sheaf/vocabulary/sort-fields';
import type { QueryAnalysis } from './analyse-query.ts';
import type { FilterConditions } from './filter-sql.ts';
import type { SharedPlan } from './plan.ts';
import { frequencyKey, type Lexeme } from './term-frequencies.ts';

/** BM25's usual constants: how soon more of a word stops to count, and how much long documents are held back. */
const K1 = 1.2;
const B = 0.75;
/** What ts_rank divides by: its terms sum up to this for a word that is there without end. */
const RANK_LIMIT = 1.64493406685;
/** ts_rank sums over all words with the same beginning and may pass its limit; this is about 200 of one word. */
const MAX_PREFIX_RANK = 0.997;

/** A number of ours as it is: a parameter for each would be thousands where many languages are in use. */
const number = (value: number): SQL => sql.raw(`${value}::float8`);

/**
 * How often a word counts in the fields with a weight of 1. For one word ts_rank is (1 + 1/4 + ... + 1/tf²) / RANK_LIMIT, and what
 * is missing to the limit is close enough to 1 / (tf + 1/2) that rounding gives tf back exactly, from 0 to the 255 positions
 * a vector keeps of a word.
 */
const frequency = (lexeme: Lexeme, weights: '{1,1,1,1}' | '{0,0,0,1}'): SQL => {
  const rank = sql`ts_rank(${sql.raw(`'${weights}'`)}::real[], document_search.words, ${frequencyKey(lexeme)}::tsquery)::float8`;
  const bounded = lexeme.isPrefix ? sql`least(${rank}, ${number(MAX_PREFIX_RANK)})` : rank;
  return sql`round(1 / (${number(RANK_LIMIT)} - ${number(RANK_LIMIT)} * ${bounded}) - ${number(0.5)})`;
};

/** What another spelling of a word counts, so that who typed it in one way gets this one first. */
const ALTERNATIVE_WEIGHT = 0.4;

export const inverseDocumentFrequency = (documents: number, withWord: number): number =>
  Math.log(1 + Math.max(documents - withWord + 0.5, 0.5) / (withWord + 0.5));

export interface ScoreSettings {
  /** How many times in the text once in the title counts beyond being counted there; not held back in long documents. */
  readonly titleWeight: number;
}

/** tf · (k1 + 1) / (tf + k1), written so that tf, the costly part, stands in it once. */
const lexemeScore = (lexeme: Lexeme, idf: number, settings: ScoreSettings): SQL => {
  const text = sql`${frequency(lexeme, '{1,1,1,1}')} / norm.of_length`;
  const both = settings.titleWeight === 0 ? text : sql`${text} + ${number(settings.titleWeight)} * ${frequency(lexeme, '{0,0,0,1}')}`;
  return sql`${number(idf * (K1 + 1))} * (1 - ${number(K1)} / (${number(K1)} + ${both}))`;
};

/** How much a document of `length` words is held back against one of average length. */
export const normOf = (analysis: QueryAnalysis, length: number): number => 1 - B + (B * length) / Math.max(analysis.averageLength, 1);

/** What a document can score at most whose words count no more than `frequency` times each, as at average length. */
export const scoreBelow = (plans: readonly SharedPlan[], analysis: QueryAnalysis, frequency: number): number =>
  Math.max(
    ...plans.map(({ plan }) =>
      plan.scored.reduce((total, lexeme) => {
        // beginnings are in no index of strong words: nothing is known of how often they stand somewhere
        const most = lexeme.isPrefix ? Number.POSITIVE_INFINITY : frequency;
        return total + weightOf(lexeme, analysis) * (K1 + 1) * (1 - K1 / (K1 + most));
      }, 0),
    ),
  );

/** How much longer than the average a document is, damped: to be joined to the documents that are scored. */
export const normJoin = (analysis: QueryAnalysis): SQL =>
  sql`cross join lateral (select ${number(1 - B)} + ${number(B / Math.max(analysis.averageLength, 1))} * document_search.length as of_length) as norm`;

const documentsWith = ({ frequencies }: QueryAnalysis, lexeme: Lexeme): number => frequencies.get(frequencyKey(lexeme)) ?? 0;

/** How much a word says. A rare spelling says no more than a common one of the same word. */
const weightOf = (lexeme: Lexeme, analysis: QueryAnalysis): number => {
  const { insteadOf } = lexeme;
  if (insteadOf === undefined) return inverseDocumentFrequency(analysis.documents, documentsWith(analysis, lexeme));
  const spellings = [lexeme, ...insteadOf.map((text) => ({ text, isPrefix: false }))];
  const documents = Math.max(...spellings.map((spelling) => documentsWith(analysis, spelling)));
  return ALTERNATIVE_WEIGHT * inverseDocumentFrequency(analysis.documents, documents);
};

/** BM25 over title, file name and text as one field, plus the title once more as its own. */
export const scoreExpression = (plans: readonly SharedPlan[], analysis: QueryAnalysis, settings: ScoreSettings): SQL => {
  const cases = plans.map(({ configurations, plan }) => {
    const parts = plan.scored.map((lexeme) => lexemeScore(lexeme, weightOf(lexeme, analysis), settings));
    const total = parts.length === 0 ? sql`0::float8` : sql.join(parts, sql` + `);
    return { configurations, total };
  });
  const [only] = cases;
  if (only === undefined || cases.length === 1) return only?.total ?? sql`0::float8`;
  const whens = cases.map(
    ({ configurations, total }) => sql`when document_search.configuration = any(${sql.param(configurations)}::text[]) then ${total}`,
  );
  return sql`case ${sql.join(whens, sql` `)} end`;
};

export interface SearchStatement {
  /** Who may see what, and what matches. */
  readonly visible: SQL;
  readonly match: SQL;
  readonly filters: FilterConditions;
  readonly norm: SQL;
  readonly score: SQL;
  readonly order: SearchOrder;
  readonly limit: number;
  readonly offset: number;
}

/** A document of the page. */
export interface RankedHit {
  readonly document_id: string;
  readonly configuration: string;
  readonly score: number;
}

/** The counts of matches that are alike in what is before the count. */
export interface CountsRow extends Record<string, unknown> {
  /** MIME type, source, language, and the year they came in. */
  readonly groups: readonly (readonly [string, string, string | null, number, number])[];
  /** Year of the document, id of its correspondent, or id of its type: one of the three, those that most have of each. */
  readonly facts: readonly (readonly [number | null, string | null, string | null, number])[];
  /** Id of a label. */
  readonly labels: readonly (readonly [string, number])[];
}

export interface SearchRow extends CountsRow {
  readonly hits: readonly RankedHit[];
}

/**
 * The entries that `which` holds for, found by its index alone: `offset 0` keeps PostgreSQL from looking up all that match as well, and from
 * asking for the strong words of each match, which takes 0.2 ms each.
 */
const entriesThat = ({ visible }: SearchStatement, which: SQL): SQL =>
  sql`(select * from document_search where ${visible} and ${which} offset 0) as document_search`;

interface Part {
  /** Entries to look at; without it all of them. */
  readonly from?: SQL;
  /** Holds for the matches to look at. */
  readonly which?: SQL;
  /** No more matches than that. */
  readonly most?: number | undefined;
}

/** The matches with what they are counted and ranked by, or a part of them. */
const matchedSelect = (
  { visible, match, filters, norm, score, order }: SearchStatement,
  { from = sql`document_search`, which = sql`true`, most }: Part = {},
): SQL => {
  const columns = order.columns.map((column) => sql`${column}, `);
  return sql`
    select document_search.document_id, document_search.created_at as made_at, document_search.mime_type, document_search.source, document_search.language,
      document_search.document_date as dated_on, document_search.correspondent_id as from_id, document_search.document_type_id as type_id,
      document_search.configuration, ${sql.join(columns)} ${score} as score
    from ${from}
    ${filters.needsDocuments || order.needsDocuments ? sql`join documents on documents.id = document_search.document_id` : sql``}
    ${norm}
    where ${sql.join([visible, match, ...filters.conditions, which], sql` and `)}
    ${most === undefined ? sql`` : sql`limit ${most}`}`;
};

/** So many values of the facts of documents are counted: a library may have as many correspondents as documents. */
const MAX_FACT_VALUES = 20;

/**
 * `matched`, counted. What can be done with few rows is left to the client: planning a subquery for each facet takes longer than running
 * most searches.
 */
const COUNTS = sql`
    (select coalesce(json_agg(json_build_array(mime_type, source, language, year, documents)), '[]') from (
      select mime_type, source, language, date_part('year', made_at at time zone 'UTC')::int as year, count(*)::int as documents
      from matched group by 1, 2, 3, 4) as counted) as groups,
    (select coalesce(json_agg(json_build_array(year, from_id, type_id, documents)), '[]') from (
      select year, from_id, type_id, documents, row_number() over (partition by which order by documents desc, year desc, from_id desc, type_id desc) as place
      from (
        select grouping(year, from_id, type_id) as which, year, from_id, type_id, count(*)::int as documents
        from (select date_part('year', dated_on)::int as year, from_id, type_id from matched
          where dated_on is not null or from_id is not null or type_id is not null) as known
        group by grouping sets ((year), (from_id), (type_id))) as counted
      where year is not null or from_id is not null or type_id is not null) as placed
      where place <= ${sql.raw(String(MAX_FACT_VALUES))}) as facts,
    (select coalesce(json_agg(json_build_array(label_id, documents)), '[]') from (
      select label_id, count(*)::int as documents from matched join document_labels using (document_id) group by label_id) as counted) as labels`;

/** The page, from `hit`. */
const hits = ({ order }: SearchStatement): SQL => sql`
    (select coalesce(json_agg(json_build_object('document_id', document_id, 'configuration', configuration, 'score', score) order by ${order.by}), '[]')
      from hit) as hits`;

/**
 * One statement: the matches are read once, then counted and ranked. With `most` no more than so many are read, whichever come first: where
 * there are that many, nothing but their number is of use.
 */
export const searchStatement = (statement: SearchStatement, most?: number): SQL => {
  const { order, limit, offset } = statement;
  return sql`
  with matched as materialized (${matchedSelect(statement, { most })}),
  hit as (select * from matched order by ${order.by} limit ${limit} offset ${offset})
  select ${COUNTS}, ${hits(statement)}`;
};

/** The counts alone, of those matches for which `part` holds. `isReadWhole`: all entries that it holds for are compared with the query. */
export const countStatement = (statement: SearchStatement, part: SQL, { isReadWhole }: { readonly isReadWhole: boolean }): SQL => sql`
  with matched as materialized (${matchedSelect(
    { ...statement, score: sql`0::float8` },
    isReadWhole ? { from: entriesThat(statement, part) } : { which: part },
  )})
  select ${COUNTS}`;

export interface StrongRow extends Record<string, unknown> {
  /** Matches that were looked at. */
  readonly candidates: number;
  /** Of them those that no other match can outrank. */
  readonly sure: number;
  /** Empty where neither of the two is enough. */
  readonly hits: readonly RankedHit[];
}

/** The page from those matches for which `strong` holds, if `offset + limit` of them score `sureScore` or `enough` were looked at. */
export const strongStatement = (statement: SearchStatement, strong: SQL, sureScore: number, enough: number): SQL => {
  const { order, limit, offset } = statement;
  return sql`
  with matched as materialized (${matchedSelect(statement, { from: entriesThat(statement, strong) })}),
  looked as materialized (select count(*)::int as candidates, count(*) filter (where score >= ${sureScore}::float8)::int as sure from matched),
  hit as (select * from matched
    where (select sure >= ${offset + limit}::int or candidates >= ${enough}::int from looked)
    order by ${order.by} limit ${limit} offset ${offset})
  select candidates, sure, ${hits(statement)} from looked`;
};

/** What matches are sorted by: columns to read with each, and the order by them, whatever table they stand in. */
interface SearchOrder {
  readonly columns: readonly SQL[];
  readonly by: SQL;
  readonly needsDocuments: boolean;
}

interface SortKey {
  readonly value: SQL;
  readonly isOfDocuments: boolean;
}

/** What stands in the matches anyway; all others are sorted as lists sort them. */
const OF_MATCHES = {
  score: sql`score`,
  relevance: sql`score`,
  created_at: sql`made_at`,
  mime_type: sql`mime_type`,
  document_date: sql`dated_on`,
} as const satisfies Partial<Record<SearchSortField, SQL>>;

const isOfMatches = (field: SearchSortField): field is keyof typeof OF_MATCHES => Object.hasOwn(OF_MATCHES, field);

const toSortKey = (field: SearchSortField): SortKey =>
  isOfMatches(field) ? { value: OF_MATCHES[field], isOfDocuments: false } : { value: sql`${sortKeyOf(field).by}`, isOfDocuments: true };

const BY_RELEVANCE: readonly SearchSort[] = [{ field: 'relevance', order: 'desc' }];

/** The newer one first where all keys are equal; the id, so that no document stands on two pages. */
const TIE_BREAK = sql`made_at desc, document_id desc`;

export const searchOrder = (sort: readonly SearchSort[] = []): SearchOrder => {
  const keys = (sort.length === 0 ? BY_RELEVANCE : sort).map(({ field, order }, i) => {
    const key = toSortKey(field);
    const name = sql.raw(`sort_${i}`);
    return {
      column: key.isOfDocuments ? sql`${key.value} as ${name}` : undefined,
      name: key.isOfDocuments ? name : key.value,
      order,
      isOfDocuments: key.isOfDocuments,
    };
  });
  // Choice: what was not read yet comes below any confidence, as in lists.
  const terms = keys.map(({ name, order }) => (order === 'asc' ? sql`${name} asc nulls first` : sql`${name} desc nulls last`));
  return {
    columns: keys.flatMap(({ column }) => column ?? []),
    by: sql.join([...terms, TIE_BREAK], sql`, `),
    needsDocuments: keys.some(({ isOfDocuments }) => isOfDocuments),
  };
};
