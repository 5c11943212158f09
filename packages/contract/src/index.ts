export * from '@sheaf/vocabulary';
export {
  type AdvancedSearchFilters,
  type AdvancedSearchRequest,
  advancedSearchFilters,
  advancedSearchRequest,
  type SearchClause,
  searchClause,
} from './advanced-search.ts';
export {
  type DaysQuery,
  type DocumentAnalyticsBody,
  daysQuery,
  documentAnalyticsBody,
  type OcrAnalyticsBody,
  ocrAnalyticsBody,
  type ProcessingAnalyticsBody,
  processingAnalyticsBody,
  type SystemAnalyticsBody,
  type SystemMetricsBody,
  systemAnalyticsBody,
  systemMetricsBody,
  type UserAnalyticsBody,
  userAnalyticsBody,
} from './analytics.ts';
export { createdKeyBody, createKeyRequest, type KeyBody, keyBody } from './api-key.ts';
export { type AuditEntryBody, auditEntryBody, auditQuery } from './audit.ts';
export { type DeliveryBody, deliveryBody, deliveryQuery } from './delivery.ts';
export { type DocumentBody, type DocumentPagesBody, documentBody, documentPagesBody } from './document.ts';
export {
  type BulkAction,
  type BulkFilterBody,
  type BulkRequest,
  type BulkUploadBody,
  bulkBody,
  bulkRequest,
  bulkUploadBody,
} from './document-bulk.ts';
export { documentListQuery, documentPagesQuery } from './document-list.ts';
export { type DocumentUpdate, documentUpdate } from './document-update.ts';
export { editDistance, editDistanceToBeginning } from './edit-distance.ts';
export { errorCode } from './error-code.ts';
export {
  AppError,
  type AppErrorOptions,
  documentNotFound,
  type ErrorDetails,
  type ErrorEnvelope,
  errorBody,
  featureDisabled,
  forbidden,
  internalError,
  permissionNeeded,
  rateLimited,
  requestTimeout,
  serviceUnavailable,
  toErrorEnvelope,
  unauthorized,
  validationError,
} from './errors.ts';
export { escapeHtml } from './escape-html.ts';
export {
  type ClientMessage,
  clientMessage,
  eventTypeOf,
  type ServerReply,
  type SubscribeRequest,
  subscribeRequest,
} from './event-messages.ts';
export {
  type ComponentHealth,
  componentHealth,
  type DetailedHealthBody,
  detailedHealthBody,
  type HealthBody,
  healthBody,
  type SandboxLayers,
  sandboxLayers,
} from './health.ts';
export { idList } from './id-list.ts';
export { INTERFACE, type Interface } from './interface.ts';
export { type Issue, makeIssue, toIssues } from './issue.ts';
export {
  type CreateLabelRequest,
  createLabelRequest,
  type LabelBody,
  labelBody,
  labelDocumentsRequest,
  labelListQuery,
  labelName,
  type UpdateLabelRequest,
  updateLabelRequest,
} from './label.ts';
export { type LedgerEntryBody, ledgerEntryBody, ledgerQuery } from './ledger.ts';
export {
  type MfaBody,
  type MfaDeviceBody,
  type MfaProof,
  mfaBody,
  mfaCode,
  mfaDeviceBody,
  mfaProof,
  mfaVerifyRequest,
  proofIn,
  type Reauthentication,
  reauthentication,
  recoveryCodesBody,
  type TotpSetupBody,
  totpEnableBody,
  totpEnableRequest,
  totpSetupBody,
  totpSetupRequest,
  type WebauthnAssertion,
  type WebauthnRegistration,
  webauthnAssertion,
  webauthnLoginOptionsRequest,
  webauthnOptionsBody,
  webauthnRegisterBody,
  webauthnRegisterOptionsRequest,
  webauthnRegisterRequest,
  webauthnRegistration,
} from './mfa.ts';
export { type NotificationBody, notificationBody, notificationQuery } from './notification-body.ts';
export { ocrLanguage } from './ocr-language.ts';
export { cursorQuery, nextCursor, type PageQuery, type Pagination, pageQuery, paginationBody, toPagination } from './page.ts';
export { type ProcessFacts, processFacts } from './process-facts.ts';
export {
  jobPriority,
  ocrLanguagesBody,
  type QueueItemBody,
  type QueueStatusBody,
  queueItemBody,
  queueListQuery,
  queueStatusBody,
  retryRequest,
  toPriorityName,
} from './queue.ts';
export { rowId } from './row-id.ts';
export {
  type SearchBody,
  type SearchFilters,
  type SearchSort,
  type SuggestBody,
  type Suggestion,
  searchBody,
  searchFilters,
  searchHit,
  searchQuery,
  suggestBody,
  suggestQuery,
} from './search.ts';
export { Secret } from './secret.ts';
export { localFolderSettings, SETTINGS_BY_TYPE, type SourceSettings, s3Settings, webdavSettings } from './source.ts';
export {
  type CreateSourceRequest,
  createSourceRequest,
  type SourceBody,
  type SourceHealthBody,
  type SourceSortField,
  type SourceTestBody,
  type SyncState,
  type SyncStatusBody,
  sourceBody,
  sourceHealthBody,
  sourceListQuery,
  sourceTestBody,
  syncStatusBody,
  type TestSourceRequest,
  testSourceRequest,
  type UpdateSourceRequest,
  updateSourceRequest,
} from './source-body.ts';
export { storableJson, storableText } from './storable-text.ts';
export { stripBoth, stripEnd } from './strip-character.ts';
export {
  authConfigBody,
  authTestBody,
  authTestRequest,
  type LoginAnswer,
  type LoginBody,
  type LoginRequest,
  loginAnswer,
  loginBody,
  loginRequest,
  type ManagedUserBody,
  managedUserBody,
  meBody,
  mfaRequiredBody,
  type RegisterRequest,
  refreshRequest,
  registerRequest,
  roleField,
  type SessionBody,
  sessionBody,
  type UserBody,
  userBody,
  usernameField,
} from './user.ts';
export {
  acceptInvitationRequest,
  changePasswordRequest,
  createUserRequest,
  givePasswordRequest,
  type ImportedUser,
  type ImportUsersBody,
  importedUser,
  importUsersBody,
  importUsersRequest,
  resendVerificationRequest,
  type UpdateUserRequest,
  updateProfileRequest,
  updateUserRequest,
  userGroupsBody,
  userListQuery,
  verifyEmailQuery,
  verifyEmailRequest,
} from './user-management.ts';
export { type UserSettingsBody, type UserSettingsRequest, userSettingsBody, userSettingsRequest } from './user-settings.ts';
export {
  ensuredWatchDirectoryBody,
  ensureWatchDirectoryRequest,
  removedWatchDirectoryBody,
  watchDirectoryBody,
} from './watch-directory.ts';
