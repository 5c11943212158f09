// What only the tests of this package import: production code uses the index.
export { nearWords } from './correct-words.ts';
export { type Mark, marksOf, wordsIn } from './marks.ts';
export { readTokens } from './paperless-syntax/tokens.ts';
export { parseQuery } from './parse-query.ts';
export { makeSnippets, markAll } from './passages.ts';
export { readDayRange, readMomentRange } from './ranges.ts';
export { inverseDocumentFrequency } from './score-sql.ts';
export { textConfigurationOf } from './search-entries.ts';
export { toSteps } from './steps.ts';
export { lexemeQuery, phraseQuery, scatteredQuery } from './term-frequencies.ts';
export { writeQuery } from './write-query.ts';
