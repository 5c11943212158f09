// What the tests use of the web client: files can move behind it.

export { shellOf } from '../build/build-worker.ts';
export { LATER_NAMESPACES } from '../build/compile-messages.ts';
export { manifestOf } from '../build/write-manifests.ts';
export { screenAt } from './app/inside-screens.ts';
export { loadPart } from './app/late.ts';
export { hasField, offeredFields } from './components/all-fields.ts';
export { readAllLabels } from './components/read-all-labels.ts';
export { partsOf } from './components/snippet-parts.ts';
export { makeEventApplier, touchedBy, withStatus } from './events/apply-event.ts';
export { pageOf, withChanges } from './interface/address-state.ts';
export { NetworkIdle } from './interface/network.ts';
export { makeProblemMessages, Problem, problemOf } from './interface/problem.ts';
export { outcomesOf, type UploadOptions } from './interface/upload.ts';
export { manifestName } from './language/manifest-name.ts';
export { languageRank, ocrLanguageName } from './language/names.ts';
export { importLogReason } from './messages/import-log-reason.ts';
export { healthText } from './messages/service-problem.ts';
export { everyYear } from './screens/analytics/years.ts';
export { markWords, wordsOf } from './screens/document/marked-words.ts';
export { pageRanges, splitFromOf, splitIntoOf } from './screens/document/split/split-parts.ts';
export { COLUMNS, columnsOf, DEFAULT_COLUMNS, placeColumns } from './screens/documents/document-columns.ts';
export { type DocumentWindow, isNear, type ListedDocument, pagesOf, withoutHidden } from './screens/documents/document-window.ts';
export { bulkFilterOf, isFiltered, type ListState, queryOf as queryOfOfListState, SORT_NAMES } from './screens/documents/list-state.ts';
export { commandOf, moveEnd } from './screens/documents/row-keys.ts';
export { rangeOf, scrollNeeded } from './screens/documents/visible-rows.ts';
export {
  appendSheets,
  documentCount,
  extendTo,
  moveSheets,
  moveSheetsTo,
  NO_PAGES,
  nextIndex,
  operationsOf,
  type PageSelection,
  prune,
  removeSheets,
  type Sheets,
  selectAll,
  selectOnly,
  sheetsOf,
  splitSheets,
  stepSheets,
  toggle,
  turnSheets,
} from './screens/page-editor/sheets.ts';
export { ACTION_GROUPS, toPermissions, toReach } from './screens/roles/role-permissions.ts';
export { addressOf, shownOfList, shownOfSearch } from './screens/saved-searches/saved-address.ts';
export { filtersOf, queryOf as queryOfOfSearchState, type SearchState, toggled, yearOf } from './screens/search/search-state.ts';
export { liveQuery } from './screens/search/use-suggestions.ts';
export {
  draftOf,
  emptyDraft,
  type Source,
  type SourceDraft,
  toCreateBody,
  toTestBody,
  toUpdateBody,
} from './screens/sources/source-draft.ts';
export { bySection, kindOf, settingText } from './screens/system/setting-kind.ts';
export { daysLeft } from './screens/trash/days-left.ts';
export { agentName } from './session/agent-name.ts';
export { reachesAll } from './session/may.ts';
export { photoName } from './uploads/camera.ts';
export { batchSize, failuresFirst, sharesOf, UploadQueue } from './uploads/upload-queue.ts';
export { fitting, isFresh, SHARED_LIMITS } from './worker/shared-files.ts';
export { handlingOf, isOfBuild, SHARE_TARGET, shellCacheName, staleCaches } from './worker/worker-rules.ts';
