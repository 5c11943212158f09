// What only the tests of this package import: production code uses the index.
export { pageRanges } from '../pdf/lay-over.ts';
export { asShown } from './text-layer.ts';
