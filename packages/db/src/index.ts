export { documentsFor, eventsFor, everyDocument, type HeardEvent, hearingOf, labelsFor, ownedBy } from './access.ts';
export { type Database, type DatabaseSettings, type Db, openDatabase } from './client.ts';
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
  raiseAlert,
  tellAlert,
} from './queries/alerts.ts';
export { createApiKey, findApiKey, listApiKeys, type NewApiKey, revokeApiKey, touchApiKey } from './queries/api-keys.ts';
export { type NewArrival, type RemoteVersion, recordNewArrival } from './queries/arrivals.ts';
export { type AuditEntry, type AuditListRequest, listAudit, recordAudit, recordAuditEntries } from './queries/audit.ts';
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
  markDelivered,
  markUndelivered,
  releaseDelivery,
  retryDelivery,
} from './queries/deliveries.ts';
export { type DocumentContent, hasOtherOrigin, lockDocumentAndJob, replaceContent } from './queries/document-content.ts';
export {
  addLabelsToDocuments,
  listLabelNames,
  removeLabelsFromDocuments,
  replaceLabels,
  requireLabelsByIdOrName,
} from './queries/document-labels.ts';
export { type DocumentListRequest, listDocuments } from './queries/document-list.ts';
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
  countDocumentsByRoute,
  createDocument,
  type DocumentChanges,
  deleteDocument,
  getDocument,
  hasLocalDocuments,
  type LabelledDocument,
  lockDocument,
  lockDocumentByHash,
  type NewDocument,
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
  countLedgerFiles,
  findLedgerEntries,
  findPathOfDeleted,
  type LedgerFields,
  lockWaitingEntries,
  markMoved,
  recordLedger,
  recordSourceLedger,
} from './queries/ingest-ledger.ts';
export { lockDocumentsOfLabel, tellDocumentsOfLabel } from './queries/label-events.ts';
export {
  addLabels,
  type CountedLabel,
  createLabel,
  deleteLabel,
  getLabel,
  type LabelFields,
  type LabelListRequest,
  listLabels,
  lockLabel,
  requireLabels,
  updateLabel,
} from './queries/labels.ts';
export { type LedgerListRequest, listLedger } from './queries/ledger-list.ts';
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
  createNotification,
  deleteNotification,
  deleteReadNotificationsBefore,
  listNotifications,
  type NewNotification,
  type NotificationListRequest,
  readAllNotifications,
  readNotification,
} from './queries/notifications.ts';
export {
  type ClaimedJob,
  claimJob,
  completeJob,
  enqueueJob,
  failJob,
  getJobDocument,
  isReading,
  type JobFailure,
  LeaseLost,
  readQueueStatus,
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
  hasRival,
  listQueueItems,
  mayChangeJob,
  type QueueItem,
  setJobPriority,
} from './queries/queue.ts';
export { readQueueStandstill } from './queries/queue-standstill.ts';
export { markCompleted, markFailed, markPending, queueReading, type ReadingOrder, type ReadingResult } from './queries/reading.ts';
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
export {
  type CountedSource,
  countSources,
  createSource,
  deleteSource,
  getSource,
  listSourceStates,
  listSources,
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
  saveRun,
} from './queries/sync-queue.ts';
export { cancelRun, findLastRun, requestRun } from './queries/sync-runs.ts';
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
export { getUser, getUserByEmail, getUserById, listUsers, type UserListRequest } from './queries/user-list.ts';
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
export { isDatabaseUnavailable, isUnstorableText, sqlState, violates } from './sql-state.ts';
