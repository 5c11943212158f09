export { type Box, decodePageWords, encodePageWords, type PageWord, type PageWords } from './page-words.ts';
export { type Turn, turnBox, turnWords } from './turn-words.ts';
