// What only the tests of this package import: production code uses the index.
export { dpiFor, parseGeometry } from './pdf-geometry.ts';
export { isUsableTextLayer, textLayers } from './pdf-text-layer.ts';
