export {
  type AnyCondition,
  type Comparison,
  type DateField,
  documentConditions,
  findMoreLike,
  type LikeDocument,
  type ReferenceField,
  type TextField,
} from './conditions/document-conditions.ts';
export { countMatching, findMatching, type MatchCount, type StoredQuestion } from './match-documents.ts';
export { isPaperlessQuery, type PaperlessQuery, readPaperlessQuery, writePaperlessQuery } from './paperless-syntax/read-query.ts';
export { parseQuery, readQuery } from './parse-query.ts';
export { advancedQuery, asksForNothing, type Query } from './query.ts';
export { isRenewingEntries, renewEntries } from './renew-entries.ts';
export { type SearchOptions, search, searchByQuery, warningsOf, warningsOfClauses } from './search.ts';
export {
  countSettledDocuments,
  type EntryDifference,
  findEntryDifferences,
  findOrphanEntries,
  indexDocument,
  indexDocuments,
  removeFromIndex,
  repairEntry,
} from './search-entries.ts';
export { suggest } from './suggest.ts';
export { findStatisticsDifferences, foldTermStatistics, rebuildStatistics, type StatisticsDifferences } from './verify-statistics.ts';
export { writeQuery } from './write-query.ts';
