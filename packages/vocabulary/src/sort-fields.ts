export const DOCUMENT_SORT_FIELDS = [
  'created_at',
  'updated_at',
  'title',
  'filename',
  'size',
  'status',
  'mime_type',
  'ocr_confidence',
  'document_date',
  'archive_number',
  'correspondent',
  'document_type',
] as const;
export type DocumentSortField = (typeof DOCUMENT_SORT_FIELDS)[number];

/** What hits may be ordered by; `relevance` is another name of `score`. Choice: that where nothing is said, then the newest first. */
export const SEARCH_SORT_FIELDS = [
  'score',
  'relevance',
  'created_at',
  'updated_at',
  'title',
  'filename',
  'size',
  'mime_type',
  'ocr_confidence',
  'document_date',
  'archive_number',
  'correspondent',
  'document_type',
] as const;
export type SearchSortField = (typeof SEARCH_SORT_FIELDS)[number];

export const LABEL_SORT_FIELDS = ['name', 'document_count', 'created_at'] as const;
export type LabelSortField = (typeof LABEL_SORT_FIELDS)[number];

/** Of correspondents and of document types. */
export const FILING_SORT_FIELDS = ['name', 'document_count', 'created_at'] as const;
export type FilingSortField = (typeof FILING_SORT_FIELDS)[number];
export const CUSTOM_FIELD_SORT_FIELDS = ['name', 'document_count', 'created_at'] as const;
export type CustomFieldSortField = (typeof CUSTOM_FIELD_SORT_FIELDS)[number];
export const SAVED_SEARCH_SORT_FIELDS = ['name', 'created_at', 'updated_at'] as const;
export type SavedSearchSortField = (typeof SAVED_SEARCH_SORT_FIELDS)[number];
export const SHARE_SORT_FIELDS = ['created_at', 'expires_at', 'access_count'] as const;
export type ShareSortField = (typeof SHARE_SORT_FIELDS)[number];

export const TRASH_SORT_FIELDS = ['trashed_at', 'created_at', 'title', 'filename', 'size'] as const;
export type TrashSortField = (typeof TRASH_SORT_FIELDS)[number];

export const LEDGER_SORT_FIELDS = ['updated_at', 'created_at', 'path', 'size_bytes', 'state'] as const;
export type LedgerSortField = (typeof LEDGER_SORT_FIELDS)[number];

export const USER_SORT_FIELDS = ['username', 'email', 'role', 'created_at'] as const;
export type UserSortField = (typeof USER_SORT_FIELDS)[number];

export const NOTIFICATION_SORT_FIELDS = ['created_at', 'type'] as const;
export type NotificationSortField = (typeof NOTIFICATION_SORT_FIELDS)[number];

export const DELIVERY_SORT_FIELDS = ['created_at', 'state', 'channel'] as const;
export type DeliverySortField = (typeof DELIVERY_SORT_FIELDS)[number];

export const KEY_SORT_FIELDS = ['created_at', 'name', 'expires_at', 'last_used_at'] as const;
export type KeySortField = (typeof KEY_SORT_FIELDS)[number];

export const AUDIT_SORT_FIELDS = ['created_at', 'action'] as const;
export type AuditSortField = (typeof AUDIT_SORT_FIELDS)[number];

export const SESSION_SORT_FIELDS = ['created_at', 'last_seen_at', 'expires_at'] as const;
export type SessionSortField = (typeof SESSION_SORT_FIELDS)[number];

/** `position`: those being processed, then the waiting in their order, then those that ended. */
export const QUEUE_SORT_FIELDS = ['position', 'created_at', 'priority'] as const;
export type QueueSortField = (typeof QUEUE_SORT_FIELDS)[number];

export type SortOrder = 'asc' | 'desc';
