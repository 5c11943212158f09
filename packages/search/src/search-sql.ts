import { type SQL, sql } from '@sheaf/db/drizzle';
import type { FilterConditions } from './filter-sql.ts';
import type { SearchOrder } from './order-sql.ts';

export interface SearchStatement {
  /** Who may see what, and what matches. */
  readonly visible: SQL;
  readonly match: SQL;
  readonly filters: FilterConditions;
  readonly norm: SQL;
  readonly score: SQL;
  readonly order: SearchOrder;
  /** Joins the best passage to each hit of the page. */
  readonly passage: SQL;
  readonly limit: number;
  readonly offset: number;
}

export interface HitRow {
  readonly document_id: string;
  readonly title: string;
  readonly filename: string;
  readonly mime_type: string;
  readonly created_ms: number;
  readonly configuration: string;
  readonly score: number;
  readonly page: number | null;
  readonly text: string | null;
}

type Counts = Readonly<Record<string, number>>;

export interface CountsRow extends Record<string, unknown> {
  readonly total: number;
  readonly mime_types: Counts;
  readonly labels: Counts;
  readonly sources: Counts;
  readonly years: Counts;
  readonly languages: Counts;
}

export interface SearchRow extends CountsRow {
  readonly hits: readonly HitRow[];
}

/** The matches by a value that was grouped by in `counted`, most first. */
const facet = (
  value: SQL,
  which: SQL = sql``,
): SQL => sql`(select coalesce(json_object_agg(value, documents order by documents desc, value), '{}')
  from (select ${value} as value, sum(documents)::int as documents from counted ${which} group by value) as facet)`;

/** The matches with what they are counted and ranked by, at most `most` of them. */
const matchedSelect = (
  { visible, match, filters, norm, score, order }: SearchStatement,
  further: readonly SQL[] = [],
  most?: number,
): SQL => {
  const columns = order.columns.map((column) => sql`${column}, `);
  return sql`
    select document_search.document_id, document_search.created_at as made_at, document_search.mime_type, document_search.source, document_search.language,
      document_search.configuration, ${sql.join(columns)} ${score} as score
    from document_search
    ${filters.needsDocuments || order.needsDocuments ? sql`join documents on documents.id = document_search.document_id` : sql``}
    ${norm}
    where ${sql.join([visible, match, ...filters.conditions, ...further], sql` and `)}
    ${most === undefined ? sql`` : sql`limit ${most}`}`;
};

const COUNTED = sql`
  select mime_type, source, language, date_part('year', made_at at time zone 'UTC')::int as year, count(*)::int as documents
  from matched group by 1, 2, 3, 4`;

/** The total of `counted` and its parts. */
const COUNTS = sql`
    (select coalesce(sum(documents), 0)::int from counted) as total,
    ${facet(sql`mime_type`)} as mime_types,
    ${facet(sql`source`)} as sources,
    ${facet(sql`year`)} as years,
    ${facet(sql`language`, sql`where language is not null`)} as languages,
    (select coalesce(json_object_agg(name, documents order by documents desc, name), '{}')
      from (select name, sum(documents)::int as documents
        from (select label_id, count(*) as documents from matched join document_labels using (document_id) group by label_id) as counted_labels
        join labels on labels.id = label_id group by name) as facet) as labels`;

/** The page, from `hit`. */
const hits = ({ order, passage }: SearchStatement): SQL => sql`
    (select coalesce(json_agg(json_build_object('document_id', document_id, 'title', documents.title, 'filename', documents.filename,
        'mime_type', hit.mime_type, 'created_ms', floor(extract(epoch from made_at) * 1000), 'configuration', configuration,
        'score', score, 'page', passage.page, 'text', passage.text) order by ${order.by}), '[]')
      from hit join documents on documents.id = document_id ${passage}) as hits`;

/**
 * One statement: the matches are read once, then counted, parted into facets and ranked, and the page gets its passages. With `most`
 * no more than so many are read, whichever come first: where there are that many, nothing but their number is of use.
 */
export const searchStatement = (statement: SearchStatement, most?: number): SQL => {
  const { order, limit, offset } = statement;
  return sql`
  with matched as materialized (${matchedSelect(statement, [], most)}),
  counted as materialized (${COUNTED}),
  hit as (select * from matched order by ${order.by} limit ${limit} offset ${offset})
  select ${COUNTS}, ${hits(statement)}`;
};

/** The counts alone, of those matches for which `part` holds. */
export const countStatement = (statement: SearchStatement, part: SQL): SQL => sql`
  with matched as materialized (${matchedSelect({ ...statement, score: sql`0::float8` }, [part])}),
  counted as materialized (${COUNTED})
  select ${COUNTS}`;

export interface StrongRow extends Record<string, unknown> {
  /** Matches that were looked at. */
  readonly candidates: number;
  /** Of them those that no other match can outrank. */
  readonly sure: number;
  /** Empty where neither of the two is enough. */
  readonly hits: readonly HitRow[];
}

/** The page from those matches for which `strong` holds, if `offset + limit` of them score `sureScore` or `enough` were looked at. */
export const strongStatement = (statement: SearchStatement, strong: SQL, sureScore: number, enough: number): SQL => {
  const { order, limit, offset } = statement;
  return sql`
  with matched as materialized (${matchedSelect(statement, [strong])}),
  looked as materialized (select count(*)::int as candidates, count(*) filter (where score >= ${sureScore}::float8)::int as sure from matched),
  hit as (select * from matched
    where (select sure >= ${offset + limit}::int or candidates >= ${enough}::int from looked)
    order by ${order.by} limit ${limit} offset ${offset})
  select candidates, sure, ${hits(statement)} from looked`;
};
