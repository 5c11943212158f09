export { hasOtherOrigin, lockDocumentAndJob } from './document-content.ts';
export {
  changedFieldsOf,
  columnsOf,
  type FieldColumns,
  type GivenFields,
  givenFieldsOf,
  sortKeyOf,
  toFieldValues,
} from './document-fields.ts';
export { type DocumentFigures, readDocumentFigures } from './document-figures.ts';
export { type ConfirmedField, confirmFields, setFilingOfDocuments } from './document-filing.ts';
export type { DocumentFilter } from './document-filter.ts';
export { listMissingLanguages } from './document-languages.ts';
export { listDocuments, listDocumentsAfter, listDocumentsBy, readInOrder } from './document-list.ts';
export { addNote, deleteNote, listNotes, type Note } from './document-notes.ts';
export {
  countDocuments,
  countReading,
  countReadingOf,
  foldDocumentTallies,
  lockDocumentTallies,
  type ReadingCounts,
  tallied,
  talliedByStatus,
} from './document-tallies.ts';
export {
  countDocumentsByRouteAndStatus,
  deleteDocument,
  deleteDocuments,
  findSelected,
  getDocument,
  type LabelledDocument,
  type LockPurpose,
  lockDocument,
  lockDocumentByHash,
  lockSelected,
  readWholeDocument,
  type SelectedDocument,
  type Selection,
  touchDocuments,
  updateDocument,
} from './documents.ts';
export { type FilingFigures, readFilingFigures } from './filing-figures.ts';
export { addImportedNotes, lockImported } from './imported-notes.ts';
export {
  BYTES_LOCKS,
  FILES_IN_BACKUP_LOCK,
  hasKeptFiles,
  hasLocalDocuments,
  holdOffBackup,
  isHashReferenced,
  lockStoredBytes,
  referencedHashes,
} from './stored-bytes.ts';
export { readStoredSize } from './stored-size.ts';
