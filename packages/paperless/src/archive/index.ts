export { PaperlessArchiveError, type PaperlessArchiveProblem } from './json-elements.ts';
export { PAPERLESS_MODELS, type PaperlessFields, type PaperlessModel } from './models.ts';
export {
  PAPERLESS_DATA_TYPES,
  PAPERLESS_FIELD_TYPES,
  PAPERLESS_SORT_FIELDS,
  PAPERLESS_SORTS,
  PAPERLESS_VALUE_COLUMNS,
  type PaperlessDataType,
} from './names.ts';
export { openPaperlessArchive, type PaperlessArchive, type PaperlessRecord } from './open-archive.ts';
