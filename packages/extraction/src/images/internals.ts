// What only the tests of this package import: production code uses the index.
export { covered, cropped, enhanced, type GreyImage, isBlank, readPgm, turned, writePgm } from './grey-image.ts';
export { ImageHost } from './image-host.ts';
export { scaleFor } from './image-scale.ts';
export { pictureRegions } from './picture-regions.ts';
