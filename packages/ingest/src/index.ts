export { ImportAttempts } from './attempts/import-attempts.ts';
export { FileChanged } from './import-file.ts';
export { makeImportedIngest, makeImportedPreview } from './imported/ingest-imported.ts';
export {
  type Alongside,
  type ImportedDocument,
  type ImportedFile,
  type ImportedFiling,
  type ImportedResult,
  type ImportedText,
  ingestEarlierVersion,
} from './imported/ingest-version.ts';
export {
  type FindIsSigned,
  type ImportOptions,
  type IncomingFile,
  type IngestDeps,
  type IngestResult,
  isQueueFullError,
  QUEUE_FULL_REASON,
  QueueGate,
  toRefusalError,
} from './incoming-file.ts';
export { ingestRemote, type RemoteResult } from './ingest-remote.ts';
export { cleanFilename, noteFile, noteSourceFiles, partFilename, rewriteNote, type SeenFile, toLedgerPath } from './note-file.ts';
export { type AttemptedFile } from './queries/import-attempts.ts';
export { countLedgerFiles, findLedgerEntries, lockWaitingEntries, markMoved, recordLedger } from './queries/ingest-ledger.ts';
export { type LedgerFilter, type LedgerListRequest, listLedger, listLedgerAfter } from './queries/ledger-list.ts';
export { refuseBytes, refuseType } from './refuse-unseen.ts';
export { runOcrAgain } from './run-ocr-again.ts';
export { trimSearchablePdfs, trimThumbnails } from './trim-thumbnails.ts';
export { TypeCheck } from './types/type-check.ts';
export { ingest, ingestVersion, noteFailure, toFailureReason, type VersionResult } from './versions/ingest-version.ts';
export { findOrphans, keepDerivedFiles, removeStoredBytes, removeTrimmed, sweepOrphan, sweepOrphans } from './versions/put-version.ts';
