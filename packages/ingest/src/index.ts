export { ImportAttempts } from './attempts/import-attempts.ts';
export { cleanFilename, partFilename } from './filename.ts';
export {
  type Alongside,
  type ImportedDocument,
  type ImportedFile,
  type ImportedFiling,
  type ImportedResult,
  type ImportedText,
} from './imported/imported-file.ts';
export { makeImportedIngest, makeImportedPreview } from './imported/ingest-imported.ts';
export { ingestEarlierVersion } from './imported/ingest-version.ts';
export type { ImportOptions, IncomingFile, IngestDeps, IngestResult } from './incoming-file.ts';
export { ingest } from './ingest.ts';
export { ingestRemote } from './ingest-remote.ts';
export { noteFailure, toFailureReason } from './note-failure.ts';
export { noteFile, noteSourceFiles, rewriteNote, type SeenFile, toLedgerPath } from './note-file.ts';
export { type AttemptedFile } from './queries/import-attempts.ts';
export { countLedgerFiles, findLedgerEntries, lockWaitingEntries, markMoved, recordLedger } from './queries/ingest-ledger.ts';
export { type LedgerFilter, type LedgerListRequest, listLedger, listLedgerAfter } from './queries/ledger-list.ts';
export { isQueueFullError, QUEUE_FULL_REASON, QueueGate } from './queue-gate.ts';
export { readAgain } from './read-again.ts';
export { toRefusalError } from './refusal.ts';
export { refuseBytes, refuseType } from './refuse-unseen.ts';
export type { RemoteResult } from './remote-file.ts';
export { findOrphans, removeStoredBytes, sweepOrphan, sweepOrphans } from './sweep.ts';
export { FileChanged } from './take-in.ts';
export { trimSearchablePdfs, trimThumbnails } from './trim-thumbnails.ts';
export { TypeCheck } from './types/type-check.ts';
export { ingestVersion, type VersionResult } from './versions/ingest-version.ts';
export { removeTrimmed } from './versions/put-version.ts';
