export { checkStoredFile, type FileState, peek } from './check-stored-file.ts';
export {
  countReferencedFiles,
  type FileOfDocuments,
  type FindingCounts,
  listDocumentsOfBytes,
  listReferencedFiles,
  measureReferencedFiles,
  type StoredFileTotals,
} from './queries/stored-file-checks.ts';
export {
  countBytesAt,
  findDocumentsOfBytes,
  findPathsOfBytes,
  listBytesAt,
  lockRowsOfBytes,
  type MovablePlace,
  moveRowsOfBytes,
  type ReferencedBytes,
  sampleBytesAt,
} from './queries/stored-places.ts';
export { type CompletedBytes, countCompleted, findPageGaps, listCompletedBytes, type PageGap } from './queries/verify-documents.ts';
export { countTallyDifferences, rebuildDocumentTallies } from './queries/verify-tallies.ts';
export { type RestoreFileDeps, restoreFile } from './restore-file.ts';
export { lookTwice, noteFileChecks, Scrub, type ScrubMetrics, STORED_FILES } from './scrub.ts';
