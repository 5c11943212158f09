import { INDEXED_FIELDS, SORTABLE_FIELDS } from './document-fields.ts';

/** Each has an index of its own, so that a list by it is as fast as any at a million documents. */
export const INDEXED_DOCUMENT_SORT_FIELDS = INDEXED_FIELDS.map(({ key }) => key);
/** Lists can be sorted by every scalar field of their records: those without an index read all documents that match. */
export const DOCUMENT_SORT_FIELDS = SORTABLE_FIELDS.map(({ key }) => key);
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

export const LABEL_SORT_FIELDS = ['name', 'document_count', 'created_at', 'id', 'color', 'description', 'parent_id', 'created_by'] as const;
export type LabelSortField = (typeof LABEL_SORT_FIELDS)[number];

/** Of correspondents and of document types. */
export const FILING_SORT_FIELDS = ['name', 'document_count', 'created_at', 'id', 'created_by'] as const;
export type FilingSortField = (typeof FILING_SORT_FIELDS)[number];
export const CUSTOM_FIELD_SORT_FIELDS = [
  'name',
  'document_count',
  'empty_count',
  'created_at',
  'id',
  'type',
  'document_type_id',
  'created_by',
  'default_currency',
] as const;
export type CustomFieldSortField = (typeof CUSTOM_FIELD_SORT_FIELDS)[number];
export const SAVED_SEARCH_SORT_FIELDS = [
  'name',
  'created_at',
  'updated_at',
  'id',
  'query',
  'sort',
  'order',
  'is_shared',
  'is_pinned',
  'position',
  'notify',
] as const;
export type SavedSearchSortField = (typeof SAVED_SEARCH_SORT_FIELDS)[number];
export const SHARE_SORT_FIELDS = [
  'created_at',
  'expires_at',
  'access_count',
  'id',
  'state',
  'document_id',
  'saved_search_id',
  'title',
  'has_password',
  'allow_download',
  'last_accessed_at',
] as const;
export type ShareSortField = (typeof SHARE_SORT_FIELDS)[number];

export const TRASH_SORT_FIELDS = [
  'trashed_at',
  'created_at',
  'title',
  'filename',
  'size',
  'id',
  'mime_type',
  'sha256',
  'page_count',
  'source',
  'reason',
  'purge_at',
] as const;
export type TrashSortField = (typeof TRASH_SORT_FIELDS)[number];

export const LEDGER_SORT_FIELDS = [
  'updated_at',
  'created_at',
  'path',
  'size_bytes',
  'state',
  'id',
  'route',
  'filename',
  'modified_at',
  'sha256',
  'reason',
  'reason_code',
  'document_id',
  'owner_id',
  'source_id',
  'moved_to',
] as const;
export type LedgerSortField = (typeof LEDGER_SORT_FIELDS)[number];

export const USER_SORT_FIELDS = [
  'username',
  'email',
  'role',
  'created_at',
  'id',
  'display_name',
  'disabled',
  'email_verified',
  'auth_method',
  'last_sign_in_at',
  'is_invited',
  'has_mfa',
] as const;
export type UserSortField = (typeof USER_SORT_FIELDS)[number];

export const NOTIFICATION_SORT_FIELDS = ['created_at', 'type', 'id', 'title', 'message', 'read'] as const;
export type NotificationSortField = (typeof NOTIFICATION_SORT_FIELDS)[number];

export const DELIVERY_SORT_FIELDS = [
  'created_at',
  'state',
  'channel',
  'id',
  'type',
  'notification_id',
  'user_id',
  'recipient',
  'attempts',
  'max_attempts',
  'next_attempt_at',
  'last_status',
  'last_error',
  'delivered_at',
] as const;
export type DeliverySortField = (typeof DELIVERY_SORT_FIELDS)[number];

export const KEY_SORT_FIELDS = ['created_at', 'name', 'expires_at', 'last_used_at', 'id', 'prefix', 'owner'] as const;
export type KeySortField = (typeof KEY_SORT_FIELDS)[number];

export const AUDIT_SORT_FIELDS = ['created_at', 'action', 'id', 'address', 'outcome'] as const;
export type AuditSortField = (typeof AUDIT_SORT_FIELDS)[number];

export const SESSION_SORT_FIELDS = [
  'created_at',
  'last_seen_at',
  'expires_at',
  'id',
  'kind',
  'method',
  'address',
  'user_agent',
  'is_current',
] as const;
export type SessionSortField = (typeof SESSION_SORT_FIELDS)[number];

/** `position`: those being processed, then the waiting in their order, then those that ended. */
export const QUEUE_SORT_FIELDS = [
  'position',
  'created_at',
  'priority',
  'id',
  'document_id',
  'filename',
  'status',
  'attempts',
  'max_attempts',
  'pages_done',
  'pages_total',
  'started_at',
  'completed_at',
  'next_attempt_at',
] as const;
export type QueueSortField = (typeof QUEUE_SORT_FIELDS)[number];

export const RULE_SORT_FIELDS = ['position', 'id', 'name', 'query', 'is_enabled', 'created_at', 'updated_at'] as const;
export type RuleSortField = (typeof RULE_SORT_FIELDS)[number];

export const IMPORT_SORT_FIELDS = [
  'created_at',
  'id',
  'kind',
  'name',
  'state',
  'is_dry_run',
  'path',
  'filename',
  'phase',
  'done',
  'total',
  'error',
  'error_code',
  'can_start',
  'started_at',
  'finished_at',
] as const;
export type ImportSortField = (typeof IMPORT_SORT_FIELDS)[number];

export const BACKUP_SORT_FIELDS = [
  'created_at',
  'name',
  'state',
  'size',
  'documents',
  'missing_files',
  'has_secrets',
  'verification',
  'verified_at',
  'error',
] as const;
export const HOST_SORT_FIELDS = ['host', 'version', 'cores', 'state', 'last_seen_at', 'active_jobs'] as const;
export const ROLE_SORT_FIELDS = ['name', 'is_built_in', 'is_changed', 'user_count'] as const;

export const USER_IMPORT_SORT_FIELDS = [
  'created_at',
  'id',
  'state',
  'total',
  'done',
  'imported',
  'skipped',
  'error',
  'error_code',
  'finished_at',
] as const;

export type UserImportSortField = (typeof USER_IMPORT_SORT_FIELDS)[number];

export type RoleSortField = (typeof ROLE_SORT_FIELDS)[number];

export const SOURCE_SORT_FIELDS = [
  'name',
  'type',
  'created_at',
  'last_sync',
  'id',
  'url',
  'status',
  'next_sync',
  'document_count',
  'owner_id',
  'sync_interval',
  'recursive',
  'username',
  'has_secret',
  'enabled',
  'last_error',
  'last_error_code',
  'updated_at',
] as const;
export type SourceSortField = (typeof SOURCE_SORT_FIELDS)[number];

export type SortOrder = 'asc' | 'desc';
