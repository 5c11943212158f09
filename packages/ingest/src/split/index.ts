export { findParts } from './find-parts.ts';
export { movePages, type PartPages } from './move-pages.ts';
export { splitDocument } from './split-document.ts';
export { forgetSplit, readSplit, recordWholeEntry } from './split-notes.ts';
export type { MadeParts, PartDocument, SplitRequest, SplitResult } from './split-request.ts';
export { type SplitPart, type StoredPart, storeParts } from './store-parts.ts';
