export { type BackupDeps, type BackupOptions, type BackupResult, type ConfigurationParts, makeBackup } from './backup.ts';
export { type BackupEntry, listEntries, readEntryManifest } from './backup-list.ts';
export { compareTables } from './compare-tables.ts';
export { loadDatabase, verifyDatabase } from './load-database.ts';
export type { BackupManifest } from './manifest.ts';
export { openBackup } from './reader.ts';
export { type RestoreDeps, type RestoreResult, restoreBackup } from './restore.ts';
export type { BackupReader } from './verify-checksums.ts';
