export { isStillThere, type OpenRoot, openRoot } from './open-root.ts';
export {
  type FileFacts,
  type FileSort,
  type FsPath,
  factsOf,
  findInRoots,
  isSameFile,
  isUnchanged,
  openWatchedFile,
  plainName,
  sortOf,
  type Unreadable,
  type WatchedFile,
  withinBytes,
} from './open-watched-file.ts';
export { makeNamePatterns, type NamePatterns } from './patterns/glob.ts';
export { refusalOfPatterns } from './patterns/pattern-limits.ts';
export { HeldFolder, type MetFolder, nameToText, systemCode, type WalkOptions, walkFolder } from './walk-folder.ts';
