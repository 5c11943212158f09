import { asc, desc, type SQL, sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import type { DocumentSortField } from '@sheaf/vocabulary/sort-fields';
import type { DocumentFilter } from './document-filter.ts';

export interface OrderedFilter extends DocumentFilter {
  readonly sort: DocumentSortField;
  readonly order: 'asc' | 'desc';
}

/** What people may sort by, and nothing else. INDEXED_DOCUMENT_SORT_FIELDS have an index each that ends with the id. */
export const SORT_KEYS = {
  created_at: documents.createdAt,
  updated_at: documents.updatedAt,
  title: documents.titleKey,
  filename: documents.filenameKey,
  size: documents.sizeBytes,
  status: documents.status,
  mime_type: documents.mimeType,
  ocr_confidence: documents.ocrConfidence,
  document_date: documents.documentDate,
  archive_number: documents.archiveNumber,
  correspondent: documents.correspondentKey,
  document_type: documents.documentTypeKey,
  id: documents.id,
  content: documents.contentExcerpt,
  owner_id: documents.ownerId,
  sha256: documents.sha256,
  version: documents.version,
  page_count: documents.pageCount,
  notes_count: documents.notesCount,
  has_einvoice: documents.hasEinvoice,
  is_signed: documents.isSigned,
  source: documents.source,
  source_id: documents.sourceId,
  imported_from: documents.importedFrom,
  source_removed_at: documents.sourceRemovedAt,
  ocr_language: documents.ocrLanguage,
  language: documents.language,
  missing_language: documents.missingLanguage,
  needs_attention: documents.needsAttention,
} as const satisfies Record<DocumentSortField, unknown>;

/** What a document may be without. Choice: that stands below any value. */
export const MAY_BE_MISSING: ReadonlySet<DocumentSortField> = new Set([
  'ocr_confidence',
  'document_date',
  'archive_number',
  'correspondent',
  'document_type',
  'page_count',
  'source_id',
  'imported_from',
  'source_removed_at',
  'language',
  'missing_language',
]);

export const orderOf = ({ sort, order }: Pick<OrderedFilter, 'sort' | 'order'>): SQL[] => {
  const [key, id] = order === 'asc' ? [asc(SORT_KEYS[sort]), asc(documents.id)] : [desc(SORT_KEYS[sort]), desc(documents.id)];
  if (MAY_BE_MISSING.has(sort)) return [order === 'asc' ? sql`${key} nulls first` : sql`${key} nulls last`, id];
  // the id makes the order total, so that no row stands on two pages
  return [key, id];
};

/** What of a filter the index of an order answers by itself: the walk along it begins and ends where that holds. */
export const ofSortKey = ({ sort, from, before, status, mimeTypes, documentDateFrom, documentDateTo }: OrderedFilter): DocumentFilter => {
  switch (sort) {
    case 'created_at':
      return { from, before };
    case 'status':
      return { status };
    case 'mime_type':
      return { mimeTypes };
    case 'document_date':
      return { documentDateFrom, documentDateTo };
    default:
      return {};
  }
};
