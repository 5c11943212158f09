import type { SearchSort } from '@sheaf/contract/search';
import { type SQL, sql } from '@sheaf/db/drizzle';
import type { SearchSortField } from '@sheaf/vocabulary/sort-fields';
import type { FilterConditions } from './filter-sql.ts';

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

const ofDocuments = (value: SQL): SortKey => ({ value, isOfDocuments: true });

/** As lists sort them; relevance and time stand in the matches anyway. */
const SORT_KEYS = {
  score: { value: sql`score`, isOfDocuments: false },
  relevance: { value: sql`score`, isOfDocuments: false },
  created_at: { value: sql`made_at`, isOfDocuments: false },
  mime_type: { value: sql`mime_type`, isOfDocuments: false },
  updated_at: ofDocuments(sql`documents.updated_at`),
  title: ofDocuments(sql`documents.title_key`),
  filename: ofDocuments(sql`documents.filename_key`),
  size: ofDocuments(sql`documents.size_bytes`),
  ocr_confidence: ofDocuments(sql`documents.ocr_confidence`),
  document_date: { value: sql`dated_on`, isOfDocuments: false },
  archive_number: ofDocuments(sql`documents.archive_number`),
  correspondent: ofDocuments(sql`documents.correspondent_key`),
  document_type: ofDocuments(sql`documents.document_type_key`),
} as const satisfies Record<SearchSortField, SortKey>;

const BY_RELEVANCE: readonly SearchSort[] = [{ field: 'relevance', order: 'desc' }];

/** The newer one first where all keys are equal; the id, so that no document stands on two pages. */
const TIE_BREAK = sql`made_at desc, document_id desc`;

export const searchOrder = (sort: readonly SearchSort[] = []): SearchOrder => {
  const keys = (sort.length === 0 ? BY_RELEVANCE : sort).map(({ field, order }, i) => {
    const key = SORT_KEYS[field];
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
