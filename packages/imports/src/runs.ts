export { type ImportFolder, importFolder } from './runs/import-folder.ts';
export {
  cancelImport,
  deleteImportsBefore,
  findImportsWithFiles,
  getImport,
  type ListedImport,
  listImports,
  listImportsAfter,
  readImportReport,
  requestImport,
} from './runs/import-requests.ts';
export { claimImport, type HeldImport, releaseImport } from './runs/import-runs.ts';
