export {
  copySearchable,
  findSearchable,
  keepRendition,
  makeStoredSearchablePdf,
  type NoSearchable,
  readStoredSignatures,
  type SearchableCopy,
  type SearchableFile,
  type SearchableParts,
  type SearchableTask,
} from './searchable-pdf.ts';
