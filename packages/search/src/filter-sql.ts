import { firstAfter, notBefore } from '@sheaf/contract';
import type { SearchFilters } from '@sheaf/contract/search';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { sortKeyOf } from '@sheaf/documents';
import { FIELD_FILTERS } from '@sheaf/vocabulary/document-fields';

/** The newest notes are found so far: together with the head of a text they still fit into one vector. */
const MAX_NOTES_CHARACTERS = 15_000;

/** The notes of a document as they are indexed and shown, the newest first; '' for none. `documentId` is SQL or an id. */
export const notesText = (documentId: SQL | string): SQL => sql`coalesce((
  select left(string_agg(text, E'\\n' order by created_at desc, id desc), ${MAX_NOTES_CHARACTERS}::int)
  from document_notes where document_notes.document_id = ${documentId}), '')`;

/** Filters in SQL; those on `documents` need the join. */
export interface FilterConditions {
  readonly conditions: readonly SQL[];
  readonly needsDocuments: boolean;
}

const isNotEmpty = <T>(list: readonly T[] | undefined): list is readonly T[] => list !== undefined && list.length > 0;

/**
 * Up to so many matches are read by their words, and the labels of each are looked up. The planner, who takes any rare word to have one
 * document in 200, may put all that match into a table of hashes with their words instead: 104 against 31 ms for 21,000 of a million.
 */
const MAX_LOOKED_UP = 30_000;

const labelConditions = (
  { label_ids: ids = [], label_match: match = 'any', has_labels: has }: SearchFilters,
  matches = Number.POSITIVE_INFINITY,
): SQL[] => {
  const hasOne = (condition: SQL): SQL =>
    sql`exists (select from document_labels where document_labels.document_id = document_search.document_id and ${condition})`;
  // `is true` keeps the planner from a join
  const hasLabel = (condition: SQL): SQL => (matches <= MAX_LOOKED_UP ? sql`${hasOne(condition)} is true` : hasOne(condition));
  return [
    ...(match === 'all' ? ids.map((id) => hasLabel(sql`document_labels.label_id = ${id}::uuid`)) : []),
    ...(match === 'any' && ids.length > 0 ? [hasLabel(sql`document_labels.label_id = any(${sql.param([...ids])}::uuid[])`)] : []),
    ...(has === undefined ? [] : [has ? hasOne(sql`true`) : sql`not ${hasOne(sql`true`)}`]),
  ];
};

const factConditions = (filters: SearchFilters): SQL[] => {
  const {
    correspondent_ids: correspondents,
    document_type_ids: types,
    has_correspondent: isFromSomebody,
    has_document_type: hasType,
  } = filters;
  return [
    ...(isNotEmpty(correspondents) ? [sql`document_search.correspondent_id = any(${sql.param([...correspondents])}::uuid[])`] : []),
    ...(isNotEmpty(types) ? [sql`document_search.document_type_id = any(${sql.param([...types])}::uuid[])`] : []),
    ...(isFromSomebody === undefined ? [] : [sql`(document_search.correspondent_id is not null) = ${isFromSomebody}`]),
    ...(hasType === undefined ? [] : [sql`(document_search.document_type_id is not null) = ${hasType}`]),
  ];
};

/** Fields that the table of the search has as well. */
const IN_SEARCH_TABLE: ReadonlySet<string> = new Set(['document_date']);

interface FilterOptions {
  /** How many documents match without the filters, at most; undefined where words say nothing of it. */
  readonly matchesByWords: number | undefined;
  readonly until?: Date | undefined;
  /** Holds for documents that have a near-duplicate, see SearchScope. */
  readonly hasSimilar: SQL;
  /** What `filters.fields` is, see fieldFilterCondition. */
  readonly fields?: SQL | undefined;
}

/** A document must have one of the types. An empty list is as if it were not there. */
export const filterConditions = (
  filters: SearchFilters,
  { matchesByWords, until, fields, hasSimilar }: FilterOptions,
): FilterConditions => {
  const own: SQL[] = [];
  if (isNotEmpty(filters.mime_types)) {
    // PostgreSQL refuses NUL in any text, and no type has it
    const types = filters.mime_types.filter((type) => !type.includes('\0'));
    own.push(sql`document_search.mime_type = any(${sql.param(types)}::text[])`);
  }
  const languages = [filters.language ?? []].flat();
  if (isNotEmpty(languages)) {
    own.push(sql`document_search.language = any(${sql.param(languages.filter((code) => !code.includes('\0')))}::text[])`);
  }
  if (filters.owner_id !== undefined) own.push(sql`document_search.owner_id = ${filters.owner_id}::uuid`);
  const { date_range: range = {} } = filters;
  for (const from of [filters.date_from, range.from])
    if (from !== undefined) own.push(sql`document_search.created_at >= ${notBefore(from).toISOString()}::timestamptz`);
  for (const to of [filters.date_to, range.to, until?.toISOString()])
    if (to !== undefined) own.push(sql`document_search.created_at < ${firstAfter(to).toISOString()}::timestamptz`);
  own.push(...labelConditions(filters, matchesByWords), ...factConditions(filters));
  if (filters.has_similar !== undefined) own.push(filters.has_similar ? hasSimilar : sql`not ${hasSimilar}`);
  const joined: SQL[] = fields === undefined ? [] : [fields];
  if (filters.source_id !== undefined) joined.push(sql`documents.source_id = ${filters.source_id}::uuid`);
  if (filters.status !== undefined) joined.push(sql`documents.status = ${filters.status}`);
  if (filters.min_confidence !== undefined) joined.push(sql`documents.ocr_confidence >= ${filters.min_confidence}::real`);
  if (filters.min_size !== undefined) joined.push(sql`documents.size_bytes >= ${filters.min_size}::bigint`);
  if (filters.max_size !== undefined) joined.push(sql`documents.size_bytes <= ${filters.max_size}::bigint`);
  for (const { name, field, compare } of FIELD_FILTERS) {
    if (filters[name] === undefined) continue;
    const isHere = IN_SEARCH_TABLE.has(field.key);
    const column = sql.raw(`${isHere ? 'document_search' : 'documents'}.${field.key}`);
    (isHere ? own : joined).push(sql`${column} ${sql.raw(compare)} ${filters[name]}::${sql.raw(sortKeyOf(field.key).type)}`);
  }
  return { conditions: [...own, ...joined], needsDocuments: joined.length > 0 };
};
