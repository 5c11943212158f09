export { type Box, decodePageWords, encodePageWords, type PageWord, type PageWords } from './page-words.ts';
