export { PaperlessArchiveError, type PaperlessArchiveProblem } from './archive-error.ts';
export { PAPERLESS_MODELS, type PaperlessFields, type PaperlessModel } from './models.ts';
export {
  PAPERLESS_DATA_TYPES,
  PAPERLESS_FIELD_TYPES,
  PAPERLESS_RULES,
  PAPERLESS_SORT_FIELDS,
  PAPERLESS_SORTS,
  type PaperlessDataType,
} from './names.ts';
export { openPaperlessArchive, type PaperlessArchive } from './open-archive.ts';
export type { PaperlessRecord } from './read-records.ts';
