// What only the tests of this package import: production code uses the index.
export { waysToPage } from './document-list.ts';
