export {
  type Asker,
  deliveriesFor,
  documentsFor,
  eventsFor,
  figuresReach,
  hearingOf,
  labelsFor,
  ledgerFor,
  notificationsFor,
  ownedBy,
  type Reach,
  readingReach,
  sourcesFor,
  within,
} from './access.ts';
export { type Database, type DatabaseSettings, type Db, openDatabase } from './client.ts';
export { type ConnectOptions, connectClient } from './connect.ts';
export { DatabaseTlsError, findTlsError } from './connection-error.ts';
export { completeDatabaseUrl } from './database-url.ts';
export { type Deadline, withinDeadline } from './deadline.ts';
export { KeepConnections } from './keep-connections.ts';
export type { Cut, CutRequest, Position } from './keyset.ts';
export { type Keyset, makeKeyset, toCut } from './keyset.ts';
export { Listener } from './listener.ts';
export {
  latestVersion,
  lockMigrations,
  type Migration,
  migrateDown,
  migrateUp,
  migrateWithin,
  readApplied,
  readMigrations,
  readSchemaVersion,
} from './migrate.ts';
export { type PreparedStatement, runPrepared } from './prepared.ts';
export { ReplicaLock } from './replica-lock.ts';
export { askSchemaVersion, schemaDifference } from './schema-version.ts';
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
