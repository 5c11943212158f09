import { type SQL, sql } from '@sheaf/db/drizzle';
import type { FilterConditions } from './filter-sql.ts';

export interface SearchStatement {
  /** Who may see what, and what matches. */
  readonly visible: SQL;
  readonly match: SQL;
  readonly filters: FilterConditions;
  readonly norm: SQL;
  readonly score: SQL;
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
}

export interface SearchRow extends Record<string, unknown> {
  readonly total: number;
  readonly mime_types: Readonly<Record<string, number>>;
  readonly labels: Readonly<Record<string, number>>;
  readonly hits: readonly HitRow[];
}

/** The newer one first where scores are equal; the id, so that no document stands on two pages. */
const ORDER = sql`score desc, created_at desc, document_id desc`;

/** One statement: the matches are read once, then counted, parted into facets and ranked. */
export const searchStatement = ({ visible, match, filters, norm, score, limit, offset }: SearchStatement): SQL => sql`
  with matched as materialized (
    select document_search.document_id, document_search.created_at, document_search.mime_type, document_search.configuration,
      ${score} as score
    from document_search
    ${filters.needsDocuments ? sql`join documents on documents.id = document_search.document_id` : sql``}
    ${norm}
    where ${sql.join([visible, match, ...filters.conditions], sql` and `)}
  ),
  page as (select * from matched order by ${ORDER} limit ${limit} offset ${offset})
  select
    (select count(*)::int from matched) as total,
    (select coalesce(json_object_agg(mime_type, documents order by documents desc, mime_type), '{}')
      from (select mime_type, count(*)::int as documents from matched group by mime_type) as facet) as mime_types,
    (select coalesce(json_object_agg(name, documents order by documents desc, name), '{}')
      from (select label_id, count(*)::int as documents from matched join document_labels using (document_id) group by label_id) as facet
      join labels on labels.id = label_id) as labels,
    (select coalesce(json_agg(json_build_object('document_id', document_id, 'title', title, 'filename', filename,
        'mime_type', page.mime_type, 'created_ms', floor(extract(epoch from page.created_at) * 1000), 'configuration', configuration,
        'score', score) order by score desc, page.created_at desc, document_id desc), '[]')
      from page join documents on documents.id = document_id) as hits`;
