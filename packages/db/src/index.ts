export {
  documentsFor,
  eventsFor,
  figuresReach,
  type HeardEvent,
  hearingOf,
  labelsFor,
  ownedBy,
  type Reach,
  readingReach,
} from './access.ts';
export { type Database, type DatabaseSettings, type Db, openDatabase } from './client.ts';
export { type ConnectOptions, connectClient } from './connect.ts';
export { DatabaseTlsError, findTlsError } from './connection-error.ts';
export { type ConnectionDefaults, completeDatabaseUrl } from './database-url.ts';
export { type Deadline, withinDeadline } from './deadline.ts';
export { KeepConnections } from './keep-connections.ts';
export type { Cut, CutRequest, Position } from './keyset.ts';
export { Listener, type ListenerSettings } from './listener.ts';
export {
  type AppliedMigration,
  latestVersion,
  lockMigrations,
  type Migration,
  migrateDown,
  migrateUp,
  migrateWithin,
  readApplied,
  readMigrations,
  readSchemaVersion,
} from './migrate.ts';
export {
  type AlertAudience,
  type AlertNews,
  clearAlert,
  forgetAlert,
  forgetAlertsOfGoneSources,
  listAlerts,
  notifyAlert,
  raiseAlert,
} from './queries/alerts.ts';
export { createApiKey, findApiKey, listApiKeys, listApiKeysAfter, type NewApiKey, revokeApiKey, touchApiKey } from './queries/api-keys.ts';
export { type NewArrival, type RemoteVersion, recordNewArrival } from './queries/arrivals.ts';
export { type AuditEntry, type AuditListRequest, listAudit, listAuditAfter, recordAudit, recordAuditEntries } from './queries/audit.ts';
export {
  type BulkFilter,
  deleteDocuments,
  findSelected,
  type LockPurpose,
  lockSelected,
  type SelectedDocument,
  type Selection,
  touchDocuments,
} from './queries/bulk-documents.ts';
export type { ClaimFilter } from './queries/claim-filter.ts';
export { type RecoveredJob, type Recovery, recoverJobs } from './queries/crashed-jobs.ts';
export {
  type ClaimedDelivery,
  type ClaimRequest,
  claimDeliveries,
  countDeliveries,
  type DeliveryFailure,
  type DeliveryListRequest,
  deleteDeliveriesBefore,
  failDeliveriesOf,
  findOldestDue,
  listDeliveries,
  listDeliveriesAfter,
  markDelivered,
  markUndelivered,
  releaseDelivery,
  retryDelivery,
} from './queries/deliveries.ts';
export { type DocumentContent, hasOtherOrigin, lockDocumentAndJob, replaceContent } from './queries/document-content.ts';
export { type DocumentFigures, readDocumentFigures } from './queries/document-figures.ts';
export {
  addLabelsToDocuments,
  listLabelNames,
  removeLabelsFromDocuments,
  replaceLabels,
  requireLabelsByIdOrName,
} from './queries/document-labels.ts';
export { type DocumentFilter, type DocumentListRequest, listDocuments, listDocumentsAfter } from './queries/document-list.ts';
export {
  deleteStalePages,
  listPages,
  listReadPages,
  type PageFields,
  type PageRow,
  type PageTotals,
  readContent,
  savePages,
  summarisePages,
} from './queries/document-pages.ts';
export { countDocuments, countReading, countReadingOf, foldDocumentTallies, type ReadingCounts } from './queries/document-tallies.ts';
export {
  countDocumentsByRouteAndStatus,
  createDocument,
  type DocumentChanges,
  deleteDocument,
  getDocument,
  hasLocalDocuments,
  type LabelledDocument,
  lockDocument,
  lockDocumentByHash,
  type NewDocument,
  readWholeDocument,
  referencedHashes,
  updateDocument,
} from './queries/documents.ts';
export { confirmEmail, countOneTimeTokens } from './queries/email-verification.ts';
export {
  type FeedEvent,
  type FeedRange,
  findOldestSeq,
  numberEvents,
  readEvents,
  readEventsFor,
  readFeedPosition,
} from './queries/event-feed.ts';
export { deleteEventsBefore, recordEvent, recordEvents } from './queries/events.ts';
export { findUserByExternalId, findUserByName } from './queries/external-users.ts';
export {
  type AttemptChanges,
  type AttemptedFile,
  type AttemptKind,
  forgetAttempts,
  recordAttempts,
  type StartedAttempt,
  suspectUnfinishedAttempts,
} from './queries/import-attempts.ts';
export {
  countLedgerFiles,
  findLedgerEntries,
  findPathOfDeleted,
  type LedgerFields,
  lockWaitingEntries,
  markMoved,
  recordLedger,
  recordSourceLedger,
} from './queries/ingest-ledger.ts';
export { findKnownOrigins, isKnownOrigin, rememberOrigins } from './queries/known-devices.ts';
export { emitDocumentUpdates, lockDocumentsOfLabel } from './queries/label-events.ts';
export {
  addLabels,
  type CountedLabel,
  createLabel,
  deleteLabel,
  getLabel,
  type LabelFields,
  type LabelListRequest,
  listLabels,
  listLabelsAfter,
  lockLabel,
  requireLabels,
  requireReadableLabels,
  updateLabel,
} from './queries/labels.ts';
export { type LedgerFilter, type LedgerListRequest, listLedger, listLedgerAfter } from './queries/ledger-list.ts';
export {
  clearLoginFailures,
  countLoginFailure,
  deleteLoginFailuresBefore,
  findLoginLocks,
  type LockoutRule,
  type LoginLocks,
  type SignInAttempt,
} from './queries/login-failures.ts';
export {
  createMfaDevice,
  deleteMfaDevice,
  deleteUnprovenTotpDevices,
  enableTotpDevice,
  hasEnabledMfaDevice,
  listMfaDevices,
  type NewMfaDevice,
  takeSignCount,
  takeTotpStep,
} from './queries/mfa-devices.ts';
export {
  countUnread,
  createNotification,
  deleteNotification,
  deleteReadNotificationsBefore,
  listNotifications,
  listNotificationsAfter,
  type NewNotification,
  type NotificationListRequest,
  readAllNotifications,
  readNotification,
} from './queries/notifications.ts';
export {
  beginAlone,
  type ClaimedJob,
  claimJob,
  completeJob,
  enqueueJob,
  failJob,
  getJobDocument,
  isReading,
  type JobFailure,
  LeaseLost,
  recordProgress,
  releaseJob,
  renewLease,
  retryJob,
} from './queries/ocr-jobs.ts';
export {
  countAttempt,
  createOneTimeToken,
  deleteExpiredOneTimeTokens,
  findOneTimeToken,
  type NewOneTimeToken,
  rememberOnce,
  takeOneTimeToken,
} from './queries/one-time-tokens.ts';
export {
  deleteProcess,
  deleteProcessesBefore,
  listProcesses,
  listProcessesWithoutPlaces,
  type ProcessFields,
  recordHeartbeat,
} from './queries/processes.ts';
export {
  cancelJob,
  getQueueItem,
  getQueueItemOfDocument,
  hasMoreUrgent,
  hasRival,
  listQueueItems,
  listQueueItemsAfter,
  mayChangeJob,
  type QueueItem,
  setJobPriority,
} from './queries/queue.ts';
export { type QueueDepth, readQueueDepth } from './queries/queue-depth.ts';
export { countWaiting } from './queries/queue-size.ts';
export { readQueueStandstill } from './queries/queue-standstill.ts';
export { readQueueStatus } from './queries/queue-status.ts';
export { markCompleted, markFailed, markPending, queueReading, type ReadingOrder, type ReadingResult } from './queries/reading.ts';
export { type ReadingFigures, readReadingFigures } from './queries/reading-figures.ts';
export { countRecoveryCodes, deleteRecoveryCodes, replaceRecoveryCodes, takeRecoveryCode } from './queries/recovery-codes.ts';
export { type Audit, makeAudit } from './queries/security-notices.ts';
export {
  createSession,
  deleteSessionsEndedBefore,
  findSession,
  findSessionById,
  listLiveSessions,
  lockForSession,
  type NewSession,
  revokeSession,
  revokeSessionsOf,
  type SessionKey,
  takeRefreshNumber,
  touchSession,
} from './queries/sessions.ts';
export { isQueuePaused, setQueuePaused } from './queries/settings.ts';
export {
  adoptDocument,
  type FailedTry,
  findFilesOfBytes,
  findFilesOfDocument,
  findHighestFileId,
  findSourceFiles,
  forgetFiles,
  forgetVersions,
  type IgnoredFile,
  listPresentFiles,
  lockSourceFile,
  markDocumentRemoved,
  markDocumentsAtSource,
  markFileRemoved,
  markFilesBack,
  type RememberedFile,
  rememberFailure,
  rememberFile,
  rememberIgnored,
} from './queries/source-files.ts';
export { isPlaceOfAdministrators, type SourcePlace } from './queries/source-trust.ts';
export {
  type CountedSource,
  countSources,
  createSource,
  deleteSource,
  getSource,
  listSourceStates,
  listSources,
  listSourcesAfter,
  lockSource,
  type SourceChanges,
  type SourceFields,
  type SourceListRequest,
  updateSource,
} from './queries/sources.ts';
export { FILES_IN_BACKUP_LOCK, holdOffBackup, lockStoredBytes } from './queries/stored-bytes.ts';
export {
  type CheckedFile,
  countFindings,
  countReferencedFiles,
  type DueFile,
  type FileOfDocuments,
  type FindingCounts,
  findDueFiles,
  findOldestFinding,
  forgetFileChecks,
  listDocumentsOfBytes,
  listReferencedFiles,
  lockFindings,
  placeDocumentsOfBytes,
  readStoredFileTotals,
  recordFileCheck,
  type StoredFileFinding,
  type StoredFileTotals,
} from './queries/stored-file-checks.ts';
export {
  countBytesAt,
  findDocumentsOfBytes,
  findPathsOfBytes,
  listBytesAt,
  lockDocumentsOfBytes,
  type MovablePlace,
  moveDocumentsOfBytes,
  type ReferencedBytes,
  sampleBytesAt,
} from './queries/stored-places.ts';
export {
  beginRun,
  endRun,
  listOpenRuns,
  listUncheckedSources,
  noteCheck,
  noteRunOfSource,
  queueDueRuns,
  type RunCounters,
  type RunNews,
  type RunnableSources,
  type SourceResult,
  type SourceRunRow,
  type SourceTrouble,
  saveRun,
} from './queries/sync-queue.ts';
export { cancelRun, findLastRun, requestRun } from './queries/sync-runs.ts';
export { lockSystemSettings, readSystemSettings, writeSystemSettings } from './queries/system-settings.ts';
export {
  isLastAdministrator,
  lockOwnUser,
  lockUser,
  requireOtherAdministrator,
  setPassword,
  type UserChanges,
  updateUser,
} from './queries/user-changes.ts';
export { deleteUser, requireNoDocuments, transferDocuments } from './queries/user-deletion.ts';
export { readUserFigures, type UserFigures } from './queries/user-figures.ts';
export { getUser, getUserByEmail, getUserById, listUsers, listUsersAfter, type UserListRequest } from './queries/user-list.ts';
export { findUserSettings, saveUserSettings, type UserSettingsFields } from './queries/user-settings.ts';
export {
  createUser,
  findDefaultOwner,
  findUserByEmail,
  findUserById,
  findUserByLogin,
  hasUsers,
  isWithoutUsers,
  type NewUser,
  toManagedUserBody,
  toUserBody,
} from './queries/users.ts';
export type { DaySpan } from './queries/utc-days.ts';
export { type CompletedBytes, countCompleted, findPageGaps, listCompletedBytes, type PageGap } from './queries/verify-documents.ts';
export { countTallyDifferences, rebuildDocumentTallies } from './queries/verify-tallies.ts';
export {
  adoptWatchDirectory,
  createWatchDirectory,
  deleteWatchDirectory,
  findWatchDirectory,
  findWatchDirectoryByName,
  findWatchDirectoryOfUser,
  keepUser,
  listNamesWithoutDirectory,
  listWatchDirectories,
  lockWatchDirectories,
  type OwnedDirectory,
  renameWatchDirectory,
  tryLockRemoval,
} from './queries/watch-directories.ts';
export { ReplicaLock, type ReplicaLockSettings } from './replica-lock.ts';
export type { ApiKey, AuditRow, OneTimeToken } from './schema/identity.ts';
export type {
  Delivery,
  DeliveryPayload,
  Document,
  DocumentPage,
  ImportAttempt,
  LedgerEntry,
  MfaDevice,
  Notification,
  OcrJob,
  ProcessRow,
  Session,
  Source,
  SourceFile,
  SyncRun,
  User,
  UserSettingsRow,
} from './schema/index.ts';
export { documentSearch } from './schema/search.ts';
export { askSchemaVersion, schemaDifference } from './schema-version.ts';
export {
  isCancelledStatement,
  isDatabaseFull,
  isDatabaseUnavailable,
  isLostRace,
  isUnstorableText,
  sqlState,
  violates,
} from './sql-state.ts';
