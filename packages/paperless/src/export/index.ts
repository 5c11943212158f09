export type { ArchiveFile, FindArchiveFile } from './archive-file.ts';
export {
  type ExportProblem,
  type ExportReport,
  type ExportRequest,
  type ExportResult,
  type ExportServices,
  exportLibrary,
} from './export-library.ts';
export { FolderTarget } from './files/folder-target.ts';
export { type ExportTarget, TargetError } from './files/target.ts';
export { ZipTarget } from './files/zip-target.ts';
