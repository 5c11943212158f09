export { type Box, decodePageWords, encodePageWords, type PageWord, type PageWords, type Turn, turnBox, turnWords } from './turn-words.ts';
