export type { Listing, RefusedEntry, RemoteFile, SourceDriver } from './driver.ts';
export { isSameTag } from './file-version.ts';
export { makeDriver } from './make-driver.ts';
export { fetchByTrust, makePublicFetch } from './public-fetch.ts';
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
  updateSource,
} from './queries/sources.ts';
export { MAX_SHOWN_CHARACTERS } from './remote-path.ts';
export type { RemoteVersion } from './remote-version.ts';
export { firstSyncAt, intervalMsOf, nextSyncAtAfterChange } from './schedule.ts';
export { type SourceConnection, toDriverSettings } from './source-connection.ts';
export { SourceError } from './source-error.ts';
export { openSourceSecret, sealSourceSecret } from './source-secret.ts';
