export { claimDirectory } from './claim-directory.ts';
export type { Initiator, WatchDirectoryDeps } from './deps.ts';
export { describeDirectory } from './describe-directory.ts';
export { directoryName } from './directory-name.ts';
export { ensureDirectory } from './ensure-directory.ts';
export { findUserRoots } from './find-user-roots.ts';
export { tryLockRemoval } from './queries/watch-directories.ts';
export { type RemovedFiles, removeDirectory } from './remove-directory.ts';
export { settleDirectory } from './settle.ts';
