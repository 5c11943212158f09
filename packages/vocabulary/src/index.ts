export { DELIVERY_CHANNELS, DELIVERY_STATES, type DeliveryChannel, type DeliveryState } from './deliveries.ts';
export {
  DOCUMENT_STATUSES,
  type DocumentStatus,
  INGEST_ROUTES,
  type IngestRoute,
  isWatchedRoute,
  LEDGER_STATES,
  type LedgerState,
  NEXT_DOCUMENT_STATUS,
  PAGE_ORIGINS,
  type PageOrigin,
  WATCHED_ROUTES,
} from './documents.ts';
export { ERROR_CODES, ERROR_REASONS, ERROR_STATUS, type ErrorCode, type ErrorKind, type ErrorReason } from './error-codes.ts';
export {
  ALERT_LEVELS,
  type AlertLevel,
  CHANNELS,
  type Channel,
  CLOSE_CODES,
  type CloseCode,
  EVENT_TYPES,
  type EventType,
  type SheafEvent,
} from './events.ts';
export { EXIT } from './exit-codes.ts';
export { FAILURE_MESSAGES, type FailureReason, PERMANENT_FAILURES } from './extraction-failures.ts';
export {
  extensionOf,
  FILE_KINDS,
  type FileFamily,
  type FileKind,
  findKindByExtension,
  findKindByMimeType,
  SUPPORTED_EXTENSIONS,
} from './file-kinds.ts';
export { HEALTH_STATUSES, type HealthStatus, worst } from './health.ts';
export { ISSUE_CODES, type IssueCode } from './issue-codes.ts';
export { JOB_PRIORITIES, JOB_STATUSES, type JobPriority, type JobStatus } from './jobs.ts';
export { LEDGER_REASON_CODES, type LedgerReason, type LedgerReasonCode, type LedgerReasonDetails, ledgerReason } from './ledger-reasons.ts';
export {
  CONTENT_EXCERPT_CHARACTERS,
  DEFAULT_DAYS,
  DEFAULT_PER_PAGE,
  EXACT_TOTAL_LIMIT,
  MAX_BULK_DOCUMENTS,
  MAX_BULK_FILES,
  MAX_BULK_IDS,
  MAX_CLAUSE_CHARACTERS,
  MAX_CLAUSES,
  MAX_CLIENT_MESSAGE_BYTES,
  MAX_CONNECTIONS_PER_USER,
  MAX_COUNTED_LABELS,
  MAX_DAYS,
  MAX_DELIVERY_ATTEMPTS,
  MAX_IMPORTED_USERS,
  MAX_LABEL_CHARACTERS,
  MAX_LABEL_DOCUMENTS,
  MAX_LABELS,
  MAX_PAGES_PER_ANSWER,
  MAX_PER_PAGE,
  MAX_QUERY_CHARACTERS,
  MAX_SEARCH_RESULTS,
  MAX_SORT_KEYS,
  MAX_SUGGEST_CHARACTERS,
  MAX_SUGGESTIONS,
  MAX_TITLE_CHARACTERS,
  METADATA_LIMITS,
  TOP_UPLOADERS,
} from './limits.ts';
export { MFA_METHODS, type MfaMethod } from './mfa.ts';
export {
  NOTIFICATION_TYPES,
  type NotificationPolicy,
  type NotificationType,
  SECURITY_NOTICES,
  type SecurityNotice,
} from './notifications.ts';
export {
  ACTIONS,
  type Action,
  BUILT_IN_ROLES,
  type Credential,
  isKnownPermission,
  type Principal,
  permissionsOfKey,
  ROLES,
  type Role,
  type RolePermissions,
  rolesForAll,
  type Scope,
  scopeOf,
} from './permissions.ts';
export {
  DOCUMENT_SORT_FIELDS,
  type DocumentSortField,
  LABEL_SORT_FIELDS,
  type LabelSortField,
  LEDGER_SORT_FIELDS,
  type LedgerSortField,
  SEARCH_SORT_FIELDS,
  type SearchSortField,
  USER_SORT_FIELDS,
  type UserSortField,
} from './sort-fields.ts';
export {
  REMOTE_DELETE_RULES,
  RUN_STATES,
  RUN_TRIGGERS,
  type RunState,
  type RunTrigger,
  SOURCE_ERROR_CODES,
  SOURCE_FINDINGS,
  SOURCE_PROBLEMS,
  SOURCE_STATUSES,
  SOURCE_TYPES,
  type SourceErrorCode,
  type SourceFinding,
  type SourceProblem,
  type SourceStatus,
  type SourceType,
} from './sources.ts';
