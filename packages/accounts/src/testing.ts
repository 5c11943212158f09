// What only the tests of this package import: production code uses the index.
export { BoundedWork } from './bounded-work.ts';
export { PrincipalCache } from './principal-cache.ts';
export { toReturnPath } from './return-path.ts';
