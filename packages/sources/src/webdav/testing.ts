// What only the tests of this package import: production code uses the index.
export { makeHrefReader, readMultistatus, urlBelow } from './multistatus.ts';
