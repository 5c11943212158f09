// What only the tests of this package import: production code uses the index.
export { pageRanges } from '../pdf/page-ranges.ts';
export { asShown } from './reading-order.ts';
