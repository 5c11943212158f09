export { type Actor, createSavedSearch, deleteSavedSearch, type SavedSearchFields, updateSavedSearch } from './change-saved-searches.ts';
export { type CountLimits, countResults, questionOf } from './count-results.ts';
export { notifyMatches } from './notify-matches.ts';
export { getSavedSearch, listSavedSearches, listSavedSearchesAfter, type SavedSearch } from './saved-searches.ts';
