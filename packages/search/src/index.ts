export { advancedQuery } from './advanced-query.ts';
export { indexDocument, removeFromIndex } from './index-document.ts';
export { parseQuery } from './parse-query.ts';
export type { Clause, ConditionTerm, Query, Term, WordsTerm } from './query.ts';
export { type QueryRequest, type SearchOptions, type SearchRequest, search, searchByQuery } from './search.ts';
export { suggest } from './suggest.ts';
export { foldTermStatistics } from './term-statistics.ts';
export {
  countSettledDocuments,
  type EntryDifference,
  findEntryDifferences,
  findOrphanEntries,
  repairEntry,
} from './verify-entries.ts';
export { findStatisticsDifferences, rebuildStatistics, type StatisticsDifferences } from './verify-statistics.ts';
export { writeQuery } from './write-query.ts';
