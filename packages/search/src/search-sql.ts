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
  /** The notes of a hit. */
  readonly notes: SQL;
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
  /** Of which a snippet may be made; null where the document has none, or no snippets are wanted. */
  readonly notes: string | null;
  readonly document_date: string | null;
  readonly correspondent: Named | null;
  readonly document_type: Named | null;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

type Counts = Readonly<Record<string, number>>;
export type NamedCounts = readonly (Named & { readonly count: number })[];

export interface CountsRow extends Record<string, unknown> {
  readonly total: number;
  readonly mime_types: Counts;
  readonly labels: Counts;
  readonly sources: Counts;
  readonly years: Counts;
  readonly languages: Counts;
  readonly document_years: Counts;
  readonly correspondents: NamedCounts;
  readonly document_types: NamedCounts;
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
      document_search.document_date as dated_on, document_search.correspondent_id as from_id, document_search.document_type_id as type_id,
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

/** So many values of the facts of documents are counted: a library may have as many correspondents as documents. */
const MAX_FACT_VALUES = 20;

/** Those of the matches that anything is known of. */
const WITH_FACTS = sql`
  select date_part('year', dated_on)::int as year, from_id, type_id, count(*)::int as documents
  from matched where dated_on is not null or from_id is not null or type_id is not null group by 1, 2, 3`;

/** The matches by a fact, those that most have. */
const commonest = (value: SQL): SQL => sql`(
  select ${value} as value, sum(documents)::int as documents from with_facts where ${value} is not null
  group by 1 order by documents desc, value desc limit ${sql.raw(String(MAX_FACT_VALUES))}) as facet`;

const factFacet = (value: SQL): SQL =>
  sql`(select coalesce(json_object_agg(value, documents order by documents desc, value desc), '{}') from ${commonest(value)})`;

/** Names are read of those alone that are shown. */
const namedFacet = (value: SQL, table: SQL): SQL => sql`(
  select coalesce(json_agg(json_build_object('id', named.id, 'name', named.name, 'count', documents) order by documents desc, named.name_key, named.id), '[]')
  from ${commonest(value)} join ${table} as named on named.id = value)`;

/** The total of `counted` and its parts. */
const COUNTS = sql`
    (select coalesce(sum(documents), 0)::int from counted) as total,
    ${facet(sql`mime_type`)} as mime_types,
    ${facet(sql`source`)} as sources,
    ${facet(sql`year`)} as years,
    ${facet(sql`language`, sql`where language is not null`)} as languages,
    ${factFacet(sql`year`)} as document_years,
    ${namedFacet(sql`from_id`, sql`correspondents`)} as correspondents,
    ${namedFacet(sql`type_id`, sql`document_types`)} as document_types,
    (select coalesce(json_object_agg(name, documents order by documents desc, name), '{}')
      from (select name, sum(documents)::int as documents
        from (select label_id, count(*) as documents from matched join document_labels using (document_id) group by label_id) as counted_labels
        join labels on labels.id = label_id group by name) as facet) as labels`;

/** With the copy of the name that stands in the document. */
const named = (field: SQL): SQL =>
  sql`case when documents.${field}_id is not null then json_build_object('id', documents.${field}_id, 'name', documents.${field}_key) end`;

/** The page, from `hit`. */
const hits = ({ order, passage, notes }: SearchStatement): SQL => sql`
    (select coalesce(json_agg(json_build_object('document_id', document_id, 'title', documents.title, 'filename', documents.filename,
        'mime_type', hit.mime_type, 'created_ms', floor(extract(epoch from made_at) * 1000), 'configuration', configuration,
        'score', score, 'page', passage.page, 'text', passage.text, 'notes', ${notes}, 'document_date', dated_on,
        'correspondent', ${named(sql`correspondent`)}, 'document_type', ${named(sql`document_type`)}) order by ${order.by}), '[]')
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
  with_facts as materialized (${WITH_FACTS}),
  hit as (select * from matched order by ${order.by} limit ${limit} offset ${offset})
  select ${COUNTS}, ${hits(statement)}`;
};

/** The counts alone, of those matches for which `part` holds. */
export const countStatement = (statement: SearchStatement, part: SQL): SQL => sql`
  with matched as materialized (${matchedSelect({ ...statement, score: sql`0::float8` }, [part])}),
  counted as materialized (${COUNTED}),
  with_facts as materialized (${WITH_FACTS})
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
