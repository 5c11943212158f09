// What only the tests of this package import: production code uses the index.
export { isBlank, readPgm, turned, writePgm } from './grey-image.ts';
export { scaleFor } from './image-scale.ts';
