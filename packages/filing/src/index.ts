export {
  createEntry,
  deleteEntry,
  type EntryChanges,
  type EntryFields,
  lockEntry,
  lockName,
  requireEntry,
  updateEntry,
} from './change-entries.ts';
export { emitDocumentUpdates, lockDocumentsOfEntry, type NewEntry, refileDocuments } from './entry-documents.ts';
export { CORRESPONDENTS, type CorrespondentDetail, DOCUMENT_TYPES, type FilingKind } from './filing-kinds.ts';
export { type FilingEntry, getEntry, listEntries, listEntriesAfter } from './list-entries.ts';
export { mergeEntries, moveBeforeMerge } from './merge-entries.ts';
