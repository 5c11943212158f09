export const DOCUMENT_SORT_FIELDS = [
  'created_at',
  'updated_at',
  'title',
  'filename',
  'size',
  'status',
  'mime_type',
  'ocr_confidence',
] as const;
export type DocumentSortField = (typeof DOCUMENT_SORT_FIELDS)[number];

/** What hits may be ordered by. Choice: relevance where nothing is said, then the newest first. */
export const SEARCH_SORT_FIELDS = [
  'relevance',
  'created_at',
  'updated_at',
  'title',
  'filename',
  'size',
  'mime_type',
  'ocr_confidence',
] as const;
export type SearchSortField = (typeof SEARCH_SORT_FIELDS)[number];

export const LABEL_SORT_FIELDS = ['name', 'document_count', 'created_at'] as const;
export type LabelSortField = (typeof LABEL_SORT_FIELDS)[number];

export const LEDGER_SORT_FIELDS = ['updated_at', 'created_at', 'path', 'size_bytes', 'state'] as const;
export type LedgerSortField = (typeof LEDGER_SORT_FIELDS)[number];

export const USER_SORT_FIELDS = ['username', 'email', 'role', 'created_at'] as const;
export type UserSortField = (typeof USER_SORT_FIELDS)[number];
