export {
  type AdvancedSearchRequest,
  advancedSearchRequest,
  type SearchClause,
  searchClause,
} from './advanced-search.ts';
export { type DocumentCondition, type FieldQuery, TEXT_COMPARISONS, type TextComparison } from './conditions.ts';
export {
  createSavedSearchRequest,
  type SavedSearchBody,
  savedSearchBody,
  savedSearchListQuery,
  savedSearchQuery,
  type UpdateSavedSearchRequest,
  updateSavedSearchRequest,
} from './saved-search.ts';
export {
  asksForSomething,
  NOTHING_ASKED,
  type SearchBody,
  type SearchFilters,
  type SearchSort,
  type SearchWarning,
  type SuggestBody,
  type Suggestion,
  searchBody,
  searchFilters,
  searchHit,
  searchQuery,
  searchWarning,
  suggestBody,
  suggestQuery,
  WARNING_CODES,
} from './search.ts';
