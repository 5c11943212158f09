// What only the tests of this package import: production code uses the index.

export { detectEncoding, readText, SMALL_TEXT_BYTES, splitIntoPages } from './read-text.ts';
