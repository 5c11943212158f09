// What only the tests of this package import: production code uses the index.
export { type Hop, nextHop, parseTarget } from './outbound-redirect.ts';
