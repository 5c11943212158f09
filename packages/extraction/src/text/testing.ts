// What only the tests of this package import: production code uses the index.

export { readText, SMALL_TEXT_BYTES } from './read-text.ts';
export { detectEncoding } from './text-encoding.ts';
export { splitIntoPages } from './text-pages.ts';
