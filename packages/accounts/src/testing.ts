// What only the tests of this package import: production code uses the index.
export { BoundedWork } from './password.ts';
export { PrincipalCache } from './principals.ts';
export { toReturnPath } from './return-path.ts';
