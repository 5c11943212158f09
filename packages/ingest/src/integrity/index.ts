export { checkStoredFile, type FileState, peek } from './check-stored-file.ts';
export { noteFileChecks, STORED_FILES } from './findings.ts';
export { lookTwice } from './look-twice.ts';
export { type PutBackDeps, putBack } from './put-back.ts';
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
export { Scrub } from './scrub.ts';
export type { ScrubMetrics } from './scrubber.ts';
