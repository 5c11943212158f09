export {
  latestVersion,
  lockMigrations,
  type Migration,
  migrateDown,
  migrateUp,
  migrateWithin,
  readApplied,
  readMigrations,
} from './migrate.ts';
export { askSchemaState, readSchemaState, schemaDifference } from './schema-version.ts';
