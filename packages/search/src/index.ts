export { indexDocument, removeFromIndex } from './index-document.ts';
export { parseQuery } from './parse-query.ts';
export type { Clause, Query, QueryField, Term } from './query.ts';
export { type QueryRequest, type SearchOptions, type SearchRequest, search, searchByQuery } from './search.ts';
export { foldTermStatistics } from './term-statistics.ts';
