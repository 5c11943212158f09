// What only the tests of this package import: production code uses the index.
export { removeTree } from './find-user-roots.ts';
