// What only the tests of this package import: production code uses the index.
export type { Binaries } from './data-place.ts';
export { reachableBinaries, serverParameters } from './join-server.ts';
