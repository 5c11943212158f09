// What only the tests of this package import: production code uses the index.
export { DECISIONS, decide, type FileFacts } from './file-decision.ts';
export { cleanFilename, titleFor } from './note-file.ts';
export { findSignature } from './types/signatures.ts';
export { looksLikeText, matchKind } from './types/type-check.ts';
export { matchContainer } from './types/type-check-task.ts';
