// What only the tests of this package import: production code uses the index.
export { type DocumentState, planChanges } from './plan-changes.ts';
