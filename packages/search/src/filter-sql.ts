import type { SearchFilters } from '@sheaf/contract';
import { type SQL, sql } from 'drizzle-orm';

/** Filters in SQL; those on `documents` need the join. */
export interface FilterConditions {
  readonly conditions: readonly SQL[];
  readonly needsDocuments: boolean;
}

const IS_DATE_ALONE = /^\d{4}-\d{2}-\d{2}$/;

/** A day means all of it, in UTC. */
const notAfter = (to: string): SQL =>
  IS_DATE_ALONE.test(to)
    ? sql`document_search.created_at < ((${to}::date + 1)::timestamp at time zone 'UTC')`
    : sql`document_search.created_at <= ${to}::timestamptz`;

const notBefore = (from: string): SQL =>
  IS_DATE_ALONE.test(from)
    ? sql`document_search.created_at >= (${from}::date::timestamp at time zone 'UTC')`
    : sql`document_search.created_at >= ${from}::timestamptz`;

/** Choice: a document must carry every label that is asked for, and have one of the types. */
export const filterConditions = (filters: SearchFilters): FilterConditions => {
  const own: SQL[] = [];
  if (filters.mime_types !== undefined) own.push(sql`document_search.mime_type = any(${sql.param(filters.mime_types)}::text[])`);
  if (filters.owner_id !== undefined) own.push(sql`document_search.owner_id = ${filters.owner_id}::uuid`);
  if (filters.date_from !== undefined) own.push(notBefore(filters.date_from));
  if (filters.date_to !== undefined) own.push(notAfter(filters.date_to));
  for (const id of filters.label_ids ?? [])
    own.push(sql`exists (select from document_labels
      where document_labels.document_id = document_search.document_id and document_labels.label_id = ${id}::uuid)`);
  const joined: SQL[] = [];
  if (filters.source_id !== undefined) joined.push(sql`documents.source_id = ${filters.source_id}::uuid`);
  if (filters.status !== undefined) joined.push(sql`documents.status = ${filters.status}`);
  if (filters.min_confidence !== undefined) joined.push(sql`documents.ocr_confidence >= ${filters.min_confidence}::real`);
  if (filters.min_size !== undefined) joined.push(sql`documents.size_bytes >= ${filters.min_size}::bigint`);
  if (filters.max_size !== undefined) joined.push(sql`documents.size_bytes <= ${filters.max_size}::bigint`);
  return { conditions: [...own, ...joined], needsDocuments: joined.length > 0 };
};
