export { advancedQuery } from './advanced-query.ts';
export {
  type AnyCondition,
  type Comparison,
  type DateField,
  documentConditions,
  type ReferenceField,
  type TextField,
} from './conditions/document-conditions.ts';
export { indexDocument, indexDocuments, removeFromIndex } from './index-document.ts';
export { countMatching, findMatching, type MatchCount, type StoredQuestion } from './match-documents.ts';
export { findMoreLike, type LikeDocument } from './more-like.ts';
export { isPaperlessQuery, type PaperlessQuery, readPaperlessQuery, writePaperlessQuery } from './paperless-syntax/read-query.ts';
export { parseQuery, readQuery } from './parse-query.ts';
export { asksForNothing, type Query } from './query.ts';
export { isRenewingEntries, renewEntries } from './renew-entries.ts';
export { type SearchOptions, search, searchByQuery } from './search.ts';
export { suggest } from './suggest.ts';
export { foldTermStatistics } from './term-statistics.ts';
export { warningsOf, warningsOfClauses } from './unknown-fields.ts';
export { countSettledDocuments, type EntryDifference, findEntryDifferences, findOrphanEntries, repairEntry } from './verify-entries.ts';
export { findStatisticsDifferences, rebuildStatistics, type StatisticsDifferences } from './verify-statistics.ts';
export { writeQuery } from './write-query.ts';
