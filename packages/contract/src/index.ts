export {
  CONTENT_EXCERPT_CHARACTERS,
  DOCUMENT_SORT_FIELDS,
  DOCUMENT_STATUSES,
  type DocumentBody,
  type DocumentSortField,
  type DocumentStatus,
  documentBody,
  INGEST_ROUTES,
  type IngestRoute,
  LEDGER_STATES,
  type LedgerState,
  NEXT_DOCUMENT_STATUS,
  PAGE_ORIGINS,
  type PageOrigin,
} from './document.ts';
export {
  AppError,
  type AppErrorOptions,
  documentNotFound,
  ERROR_STATUS,
  type ErrorEnvelope,
  type ErrorKind,
  forbidden,
  internalError,
  serviceUnavailable,
  toErrorEnvelope,
  unauthorized,
  validationError,
} from './errors.ts';
export { CHANNELS, type Channel, type EventType, type SheafEvent } from './events.ts';
export { EXIT } from './exit-codes.ts';
export { FAILURE_MESSAGES, type FailureReason, PERMANENT_FAILURES } from './extraction-failure.ts';
export {
  extensionOf,
  FILE_KINDS,
  type FileFamily,
  type FileKind,
  findKindByExtension,
  findKindByMimeType,
  SUPPORTED_EXTENSIONS,
} from './file-kinds.ts';
export { type ComponentHealth, HEALTH_STATUSES, type HealthBody, type HealthStatus, healthBody, worst } from './health.ts';
export { DEFAULT_PER_PAGE, MAX_PER_PAGE, type PageQuery, type Pagination, pageQuery, paginationBody, toPagination } from './page.ts';
export {
  ACTIONS,
  type Action,
  BUILT_IN_ROLES,
  isKnownPermission,
  type Principal,
  ROLES,
  type Role,
  type RolePermissions,
  type Scope,
  scopeOf,
} from './permissions.ts';
export {
  JOB_PRIORITIES,
  JOB_STATUSES,
  type JobPriority,
  type JobStatus,
  jobPriority,
  ocrLanguage,
  type QueueItemBody,
  type QueueStatusBody,
  queueItemBody,
  queueStatusBody,
  retryRequest,
  toPriorityName,
} from './queue.ts';
export {
  EXACT_TOTAL_LIMIT,
  MAX_QUERY_CHARACTERS,
  MAX_SEARCH_RESULTS,
  type SearchBody,
  type SearchFilters,
  searchBody,
  searchFilters,
  searchHit,
  searchQuery,
} from './search.ts';
export { Secret } from './secret.ts';
export {
  type LoginBody,
  loginBody,
  loginRequest,
  meBody,
  type RegisterRequest,
  registerRequest,
  roleField,
  type UserBody,
  userBody,
  usernameField,
} from './user.ts';
