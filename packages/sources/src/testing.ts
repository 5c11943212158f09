// What only the tests of this package import: production code uses the index.

export { depthOf, parentOf, refusalOfParts, showPath } from './listing-budget.ts';
export { retryAfterMs, statusFailure, toSourceError } from './outbound.ts';
export { type FileVersion, isContradiction, isSameVersion, isStrongEtag } from './source-driver.ts';
