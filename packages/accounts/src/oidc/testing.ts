// What only the tests of this package import: production code uses the index.
export { readClaim, toGroups, toIdentity } from './driver.ts';
