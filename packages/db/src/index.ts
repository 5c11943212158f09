export {
  type Asker,
  correspondentsFor,
  deliveriesFor,
  documentsFor,
  documentTypesFor,
  eventsFor,
  figuresReach,
  hasSimilarFor,
  hearingOf,
  labelsFor,
  ledgerFor,
  notificationsFor,
  ownedBy,
  type Reach,
  readingReach,
  rulesFor,
  savedSearchesFor,
  sourcesFor,
  trashFor,
  within,
} from './access.ts';
export { type Database, type Db, openDatabase } from './client.ts';
export { connectClient } from './connect.ts';
export { findSetupError } from './connection-error.ts';
export { completeDatabaseUrl } from './database-url.ts';
export { type Deadline, withinDeadline } from './deadline.ts';
export { KeepConnections } from './keep-connections.ts';
export type { Cut, CutRequest, Position } from './keyset.ts';
export { makeKeyset, toCut } from './keyset.ts';
export { Leadership } from './leadership.ts';
export { Listener } from './listener.ts';
export { type Page, type PageRequest, queryCut, queryPage, selectCut, selectPage } from './lists.ts';
export { type PreparedStatement, preparedByScope, runPrepared } from './prepared.ts';
export { ReplicaLock } from './replica-lock.ts';
export { readRoles, readRolesToChange, readRolesToGive } from './roles.ts';
export { placesOf } from './servers.ts';
export {
  isCancelledStatement,
  isDatabaseFull,
  isDatabaseUnavailable,
  isLostRace,
  isUnstorableText,
  sqlState,
  violates,
} from './sql-state.ts';
export { type DaySpan, dayOf, nameOfDay } from './utc-days.ts';
