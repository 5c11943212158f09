// What only the tests of this package import: production code uses the index.
export { nearWords } from './correct-words.ts';
export { type Mark, marksOf, wordsIn } from './marks.ts';
export { parseQuery } from './parse-query.ts';
export { inverseDocumentFrequency } from './score-sql.ts';
export { makeSnippets, markAll } from './snippets.ts';
export { toSteps } from './steps.ts';
export { textConfigurationOf } from './text-configuration.ts';
export { lexemeQuery, phraseQuery, scatteredQuery } from './tsquery.ts';
export { writeQuery } from './write-query.ts';
