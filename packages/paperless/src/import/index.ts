export { importPaperless, type PaperlessImport } from './import-paperless.ts';
