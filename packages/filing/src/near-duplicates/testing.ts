// What only tests and benches import: production code uses the index.

export { compareTexts, type Figures, figuresOf, prepareText, tokensOf } from './compare-texts.ts';
export { estimate, MIN_TOKENS, SIGNATURE_BYTES, SignatureBuilder } from './signature.ts';
