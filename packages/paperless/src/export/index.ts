export {
  type ExportProblem,
  type ExportReport,
  type ExportRequest,
  type ExportResult,
  type ExportServices,
  exportLibrary,
} from './export-library.ts';
export { FolderTarget } from './files/folder-target.ts';
export { type ArchiveFile, type ExportTarget, type FindArchiveFile, TargetError } from './files/target.ts';
export { ZipTarget } from './files/zip-target.ts';
