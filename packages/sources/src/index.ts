export { MAX_SHOWN_CHARACTERS } from './listing-budget.ts';
export { fetchByTrust, makePublicFetch } from './outbound.ts';
export {
  adoptDocument,
  findFilesOfBytes,
  findFilesOfDocument,
  findHighestFileId,
  findSourceFiles,
  forgetFiles,
  forgetVersions,
  listPresentFiles,
  lockSourceFile,
  markDocumentRemoved,
  markDocumentsAtSource,
  markFileRemoved,
  markFilesBack,
  type RemoteVersion,
  recordFailure,
  recordFile,
  recordIgnored,
} from './queries/source-files.ts';
export { isPlaceOfAdministrators, type SourcePlace } from './queries/source-trust.ts';
export { firstSyncAt, intervalMsOf, nextSyncAtAfterChange } from './queries/sync-queue.ts';
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
  updateSource,
} from './queries/sync-runs.ts';
export { makeDriver, type SourceConnection, toDriverSettings } from './source-connection.ts';
export { isSameTag, type Listing, type RefusedEntry, type RemoteFile, type SourceDriver, SourceError } from './source-driver.ts';
export { openSourceSecret, sealSourceSecret } from './source-secret.ts';
