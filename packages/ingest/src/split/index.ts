export { findParts } from './find-parts.ts';
export { movePages, type PartPages } from './move-pages.ts';
export { type MadeParts, type PartDocument, type SplitRequest, type SplitResult, splitDocument } from './split-document.ts';
export { forgetSplit, readSplit, recordWholeEntry } from './split-notes.ts';
export { type SplitPart, type StoredPart, storeParts } from './store-parts.ts';
