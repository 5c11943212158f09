export { type Actor, createSavedSearch, deleteSavedSearch, type SavedSearchFields, updateSavedSearch } from './change-saved-searches.ts';
export { type CountLimits, countResults, notifyMatches, questionOf } from './notify-matches.ts';
export { getSavedSearch, listSavedSearches, listSavedSearchesAfter, type SavedSearch } from './saved-searches.ts';
