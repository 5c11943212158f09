export { documentsFor, everyDocument, ownedBy } from './access.ts';
export { type Database, type DatabaseSettings, type Db, openDatabase } from './client.ts';
export { Listener, type ListenerSettings } from './listener.ts';
export {
  type AppliedMigration,
  latestVersion,
  type Migration,
  migrateDown,
  migrateUp,
  readApplied,
  readMigrations,
  readSchemaVersion,
} from './migrate.ts';
export {
  deleteStalePages,
  listReadPages,
  markPagesStale,
  type PageFields,
  type PageTotals,
  readContent,
  savePages,
  summarisePages,
} from './queries/document-pages.ts';
export {
  countDocuments,
  createDocument,
  type DocumentListRequest,
  deleteDocument,
  getDocument,
  type LabelledDocument,
  listDocuments,
  lockDocumentByHash,
  mayOnDocument,
  type NewDocument,
  referencedHashes,
} from './queries/documents.ts';
export { deleteEventsBefore, recordEvent } from './queries/events.ts';
export { findLedgerEntries, type LedgerFields, recordLedger } from './queries/ingest-ledger.ts';
export { addLabels, requireLabels } from './queries/labels.ts';
export {
  type ClaimedJob,
  claimJob,
  completeJob,
  enqueueJob,
  failJob,
  getJobDocument,
  type JobFailure,
  LeaseLost,
  readQueueStatus,
  recordProgress,
  releaseJob,
  renewLease,
  retryJob,
} from './queries/ocr-jobs.ts';
export { deleteProcess, deleteProcessesBefore, listProcesses, type ProcessFields, recordHeartbeat } from './queries/processes.ts';
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
export { lockDocument, markCompleted, markFailed, markPending, type ReadingResult, setOcrLanguage } from './queries/reading.ts';
export { createSession, findSessionUser, type NewSession, revokeSession } from './queries/sessions.ts';
export { isQueuePaused, setQueuePaused } from './queries/settings.ts';
export { lockStoredBytes } from './queries/stored-bytes.ts';
export {
  createUser,
  findDefaultOwner,
  findUserById,
  findUserByLogin,
  hasUsers,
  isWithoutUsers,
  type NewUser,
  toUserBody,
} from './queries/users.ts';
export { ReplicaLock, type ReplicaLockSettings } from './replica-lock.ts';
export type { Document, DocumentPage, LedgerEntry, OcrJob, ProcessRow, Session, User } from './schema/index.ts';
export { documentSearch } from './schema/search.ts';
export { isDatabaseUnavailable, sqlState, violates } from './sql-state.ts';
