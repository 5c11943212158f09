// What only tests and benches import: production code uses the index.

export { tokensOf } from './align-texts.ts';
export { compareTexts, type Figures, figuresOf, prepareText } from './compare-texts.ts';
export { estimate, MIN_TOKENS, SIGNATURE_BYTES, SignatureBuilder } from './signature.ts';
