// What only tests and benches import: production code uses the index.
export { compareTexts, type Figures, figuresOf, prepareText } from './compare-texts.ts';
export { formTokensOf } from './form-tokens.ts';
export { estimate, MIN_TOKENS, SignatureBuilder } from './signature.ts';
export { tokensOf } from './text-tokens.ts';
