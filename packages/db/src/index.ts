export {
  canReceive,
  correspondentsFor,
  deliveriesFor,
  documentsFor,
  documentTypesFor,
  eventsFor,
  figuresReach,
  hasSimilarFor,
  isNotTrashed,
  labelsFor,
  ledgerFor,
  notificationsFor,
  ownedBy,
  type Reach,
  readingReach,
  rulesFor,
  type ScopedPrincipal,
  savedSearchesFor,
  sourcesFor,
  trashFor,
  within,
} from './access.ts';
export { type Database, type Db, type Deadline, openDatabase, withinDeadline } from './client.ts';
export { completeDatabaseUrl, connectClient } from './connect.ts';
export { KeepConnections } from './keep-connections.ts';
export { Leadership, ReplicaLock } from './leadership.ts';
export { Listener } from './listener.ts';
export {
  type Cut,
  type CutRequest,
  makeKeyset,
  type Page,
  type PageRequest,
  type Position,
  queryCut,
  queryPage,
  selectCut,
  selectPage,
  toCut,
} from './lists.ts';
export { preparedByScope, runPrepared } from './rate-limit-counts.ts';
export { readRoles, readRolesToChange, readRolesToGive } from './requester.ts';
export { placesOf } from './servers.ts';
export {
  findSetupError,
  isCancelledStatement,
  isDatabaseFull,
  isDatabaseUnavailable,
  isLostRace,
  isUnstorableText,
  sqlState,
  violates,
} from './sql-state.ts';
export { type DaySpan, dayOf, nameOfDay } from './utc-days.ts';
