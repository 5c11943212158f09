import type { AdvancedSearchFilters } from '@sheaf/contract/search';
import { type SQL, sql } from '@sheaf/db/drizzle';

/** Filters in SQL; those on `documents` need the join. */
export interface FilterConditions {
  readonly conditions: readonly SQL[];
  readonly needsDocuments: boolean;
}

const IS_DATE_ALONE = /^\d{4}-\d{2}-\d{2}$/;

const DAY_SECONDS = 86_400;

/** As seconds: PostgreSQL knows no year 0, and that must not be an error. */
const moment = (seconds: number): SQL => sql`to_timestamp(${seconds}::float8)`;
const secondsOf = (time: string): number => Date.parse(time) / 1_000;

/** A day means all of it, in UTC. */
const notAfter = (to: string): SQL =>
  IS_DATE_ALONE.test(to)
    ? sql`document_search.created_at < ${moment(secondsOf(to) + DAY_SECONDS)}`
    : sql`document_search.created_at <= ${moment(secondsOf(to))}`;

const notBefore = (from: string): SQL => sql`document_search.created_at >= ${moment(secondsOf(from))}`;

/** Choice: a document must carry every label that is asked for, and have one of the types. */
export const filterConditions = (filters: AdvancedSearchFilters, until?: Date): FilterConditions => {
  const own: SQL[] = [];
  if (filters.mime_types !== undefined) {
    // PostgreSQL refuses NUL in any text, and no type has it
    const types = filters.mime_types.filter((type) => !type.includes('\0'));
    own.push(sql`document_search.mime_type = any(${sql.param(types)}::text[])`);
  }
  if (filters.language !== undefined) {
    const languages = [filters.language].flat().filter((code) => !code.includes('\0'));
    own.push(sql`document_search.language = any(${sql.param(languages)}::text[])`);
  }
  if (filters.owner_id !== undefined) own.push(sql`document_search.owner_id = ${filters.owner_id}::uuid`);
  const { date_range: range = {} } = filters;
  for (const from of [filters.date_from, range.from]) if (from !== undefined) own.push(notBefore(from));
  for (const to of [filters.date_to, range.to, until?.toISOString()]) if (to !== undefined) own.push(notAfter(to));
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
