export {
  type CreateFieldRequest,
  type CustomFieldBody,
  createFieldRequest,
  customFieldBody,
  deleteFieldQuery,
  fieldListQuery,
  mergeFieldRequest,
  type UpdateFieldRequest,
  updateFieldRequest,
} from './custom-field.ts';
export {
  type DocumentBody,
  type DocumentPagesBody,
  documentBody,
  documentPagesBody,
  nextNumbersBody,
  type PageWordsBody,
  pageWordsBody,
} from './document.ts';
export {
  type BulkAction,
  type BulkDownloadRequest,
  type BulkFilterBody,
  type BulkRequest,
  type BulkUploadBody,
  bulkBody,
  bulkDownloadRequest,
  bulkRequest,
  bulkUploadBody,
  downloadForm,
  downloadTicketBody,
  searchableProgressBody,
  signatureListQuery,
  signaturesBody,
} from './document-bulk.ts';
export { documentListQuery, documentPageListQuery, documentPagesQuery, pageParams } from './document-list.ts';
export { type DocumentUpdate, documentUpdate } from './document-update.ts';
export { type EinvoiceBody, einvoiceAttachmentParams, einvoiceBody, einvoiceViewQuery } from './einvoice.ts';
export { type FactBody, type FactsBody, factBody, factListBody, factListQuery, factParams, factsBody } from './fact.ts';
export type { FieldChanges, FieldFilters, FieldValue } from './field-values.ts';
export {
  type CorrespondentBody,
  correspondentBody,
  createCorrespondentRequest,
  createDocumentTypeRequest,
  type DocumentTypeBody,
  documentTypeBody,
  filingListQuery,
  mergeRequest,
  updateCorrespondentRequest,
  updateDocumentTypeRequest,
} from './filing.ts';
export {
  type CreateLabelRequest,
  createLabelRequest,
  type LabelBody,
  labelBody,
  labelDocumentsRequest,
  labelListQuery,
  labelName,
  type UpdateLabelRequest,
  updateLabelRequest,
} from './label.ts';
export { createNoteRequest, type NoteBody, noteBody, noteListQuery, noteParams, notesBody } from './note.ts';
export { type PageEditRequest, type PageOperation, pageEditBody, pageEditRequest } from './page-edit.ts';
export {
  type CreatedShareBody,
  createdShareBody,
  createShareRequest,
  type ShareBody,
  shareBody,
  shareListQuery,
} from './share.ts';
export { type SimilarDocumentsBody, similarDocumentsBody, similarListQuery, similarParams } from './similar.ts';
export { type SplitFrom, type SplitInto, splitFrom, splitInto } from './split.ts';
export {
  deleteDocumentQuery,
  emptyTrashBody,
  emptyTrashRequest,
  type RestoredDocumentBody,
  restoredDocumentBody,
  type TrashedDocumentBody,
  trashedDocumentBody,
  trashListQuery,
} from './trash.ts';
export { uploadLimitsBody } from './upload-limits.ts';
export {
  type ComparisonBody,
  comparisonBody,
  comparisonParams,
  joinVersionRequest,
  type VersionBody,
  versionListQuery,
  versionParams,
  versionsBody,
} from './version.ts';
