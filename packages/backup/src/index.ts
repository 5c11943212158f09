export { type BackupDeps, type BackupOptions, type BackupResult, makeBackup } from './backup.ts';
export { compareTables } from './compare-tables.ts';
export { type BackupEntry, listEntries } from './entries.ts';
export type { ConfigurationParts } from './fill-entry.ts';
export { type LoadedDatabase, type LoadOptions, loadDatabase } from './load-database.ts';
export type { BackupManifest, BackupSequence, BackupTable } from './manifest.ts';
export { type BackupReader, type ListedFile, type ListedPreview, openBackup, readEntryManifest } from './reader.ts';
export { type RestoreDeps, type RestoreOptions, type RestoreResult, restoreBackup } from './restore.ts';
export { verifyDatabase } from './verify-database.ts';
