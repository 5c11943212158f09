// What only the tests of this package import: production code uses the index.
export { nearWords } from './correct-words.ts';
export { type Mark, marksOf, wordsIn } from './marks.ts';
export { readTokens } from './paperless-syntax/tokens.ts';
export { parseQuery } from './parse-query.ts';
export { makeSnippets, markAll } from './passages.ts';
export { readDayRange, readMomentRange } from './ranges.ts';
export { textConfigurationOf } from './search-entries.ts';
export { inverseDocumentFrequency } from './search-sql.ts';
export { lexemeQuery, phraseQuery, scatteredQuery, toSteps } from './term-frequencies.ts';
export { writeQuery } from './write-query.ts';
