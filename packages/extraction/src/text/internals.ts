// What only the tests of this package import: production code uses the index.
export { detectEncoding } from './text-encoding.ts';
export { splitIntoPages } from './text-pages.ts';
