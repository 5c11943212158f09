export { type ImportProgress, importPaperless, type PaperlessImport } from './paperless/import-paperless.ts';
export type { FileLimits } from './paperless/take-document.ts';
export { type ImportSummary, type NotImported } from './report.ts';
export { ImportSourceError } from './source-error.ts';
