// What only the tests of this package import: production code uses the index.
export type { Binaries } from './binaries.ts';
export { serverParameters } from './parameters.ts';
export { reachableBinaries } from './reachable-binaries.ts';
