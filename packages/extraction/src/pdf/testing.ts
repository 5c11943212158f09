// What only the tests of this package import: production code uses the index.

export type { LookRequest } from '../images/image-messages.ts';
export {
  isPlainJpeg,
  isPlainPage,
  joinPieces,
  lonelyJpegs,
  lonePicture,
  packingOf,
  parsePicturePlaces,
  parsePictures,
  pictureLoads,
  picturesToRead,
} from './page-pictures.ts';
export { isUsableTextLayer, textLayers } from './pdf-text-layer.ts';
export { FullPageJpegs, isPixelForPixel, type JpegPage, mayShowMoreText } from './picture-pages.ts';
export { endOfPart, type Look, Poppler } from './poppler.ts';
export { failureOf } from './poppler-library.ts';
export { layerWords, lookWarm } from './read-pdf.ts';
export { dpiFor, parseGeometry, textOfLayout } from './text-of-layout.ts';
