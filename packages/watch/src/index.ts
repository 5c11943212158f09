export { claimDirectory, describeDirectory, directoryName, type Initiator, type WatchDirectoryDeps } from './describe-directory.ts';
export { ensureDirectory } from './ensure-directory.ts';
export { findUserRoots, type RemovedFiles, removeDirectory } from './find-user-roots.ts';
export { tryLockRemoval } from './queries/watch-directories.ts';
export { settleDirectory } from './settle.ts';
