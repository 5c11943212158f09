// What only the tests of this package import: production code uses the index.
export { cleanFilename, titleFor } from './filename.ts';
export { matchContainer } from './types/match-container.ts';
export { matchKind } from './types/match-kind.ts';
export { findSignature } from './types/signatures.ts';
export { looksLikeText } from './types/text-kind.ts';
