// What only the tests of this package import: production code uses the index.
export { withEinvoice } from './choose-fact.ts';
