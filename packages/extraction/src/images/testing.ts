// What only the tests of this package import: production code uses the index.
export { covered, cropped, enhanced, type GreyImage, isBlank, pictureRegions, readPgm, shrunk, turned, writePgm } from './grey-image.ts';
export { ImageHost, type ImageHostSettings, type ImageResult } from './image-host.ts';
export type { ImageAnswer } from './image-messages.ts';
export { scaleFor } from './image-pdf.ts';
export { readImage } from './read-image.ts';
export { encodeTextWebp } from './text-picture.ts';
