export { PaperlessArchiveError, type PaperlessArchiveProblem } from './archive-error.ts';
export { PAPERLESS_MODELS, type PaperlessFields, type PaperlessModel } from './models.ts';
export { openPaperlessArchive, type PaperlessArchive } from './open-archive.ts';
export type { PaperlessRecord } from './read-records.ts';
