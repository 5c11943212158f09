export { documentsFor, everyDocument, labelsFor, ownedBy } from './access.ts';
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
export { countDocuments, foldDocumentTallies } from './queries/document-tallies.ts';
export {
  createDocument,
  type DocumentChanges,
  deleteDocument,
  getDocument,
  type LabelledDocument,
  lockDocument,
  lockDocumentByHash,
  type NewDocument,
  referencedHashes,
  updateDocument,
} from './queries/documents.ts';
export { deleteEventsBefore, recordEvent, recordEvents } from './queries/events.ts';
export { findLedgerEntries, type LedgerFields, recordLedger } from './queries/ingest-ledger.ts';
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
export { markCompleted, markFailed, markPending, queueReading, type ReadingOrder, type ReadingResult } from './queries/reading.ts';
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
export { countTallyDifferences, rebuildDocumentTallies } from './queries/verify-tallies.ts';
export { ReplicaLock, type ReplicaLockSettings } from './replica-lock.ts';
export type { Document, DocumentPage, LedgerEntry, OcrJob, ProcessRow, Session, User } from './schema/index.ts';
export { documentSearch } from './schema/search.ts';
export { isDatabaseUnavailable, sqlState, violates } from './sql-state.ts';
