export { findParts } from './find-parts.ts';
export {
  forgetSplit,
  type MadeParts,
  movePages,
  type PartDocument,
  type PartPages,
  readSplit,
  recordWholeEntry,
  type SplitPart,
  type SplitRequest,
  type SplitResult,
  type StoredPart,
  splitDocument,
  storeParts,
} from './split-document.ts';
