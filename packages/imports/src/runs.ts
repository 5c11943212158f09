export {
  cancelImport,
  deleteImportsBefore,
  findImportsWithFiles,
  getImport,
  type ImportFolder,
  importFolder,
  type ListedImport,
  listImports,
  listImportsAfter,
  readImportReport,
  requestImport,
} from './runs/import-requests.ts';
export { claimImport, type HeldImport, releaseImport } from './runs/import-runs.ts';
