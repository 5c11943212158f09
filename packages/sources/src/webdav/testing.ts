// What only the tests of this package import: production code uses the index.
export { makeHrefReader, urlBelow } from './href.ts';
export { readMultistatus } from './multistatus.ts';
