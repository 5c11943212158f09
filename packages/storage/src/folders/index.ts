export { findInRoots } from './find-in-roots.ts';
export { makeNamePatterns, type NamePatterns } from './name-patterns.ts';
export { isStillThere, type OpenRoot, openRoot } from './open-root.ts';
export {
  type FileFacts,
  type FileSort,
  type FsPath,
  factsOf,
  isSameFile,
  isUnchanged,
  openWatchedFile,
  sortOf,
  type Unreadable,
  type WatchedFile,
} from './open-watched-file.ts';
export { refusalOfPatterns } from './patterns/pattern-limits.ts';
export { plainName, withinBytes } from './plain-names.ts';
export { HeldFolder, type MetFolder, nameToText, systemCode, type WalkOptions, walkFolder } from './walk-folder.ts';
