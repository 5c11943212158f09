export {
  askSchemaState,
  latestVersion,
  lockMigrations,
  type Migration,
  migrateDown,
  migrateUp,
  migrateWithin,
  readApplied,
  readMigrations,
  readSchemaState,
  schemaDifference,
} from './migrate.ts';
