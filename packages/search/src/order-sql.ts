import type { SearchSort } from '@sheaf/contract/search';
import { type SQL, sql } from '@sheaf/db/drizzle';
import type { SearchSortField } from '@sheaf/vocabulary/sort-fields';

/** What matches are sorted by: columns to read with each, and the order by them, whatever table they stand in. */
export interface SearchOrder {
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
