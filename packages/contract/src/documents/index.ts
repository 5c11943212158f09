export {
  type DocumentBody,
  type DocumentPagesBody,
  documentBody,
  documentPagesBody,
  type PageWordsBody,
  pageWordsBody,
} from './document.ts';
export {
  type BulkAction,
  type BulkFilterBody,
  type BulkRequest,
  type BulkUploadBody,
  bulkBody,
  bulkRequest,
  bulkUploadBody,
} from './document-bulk.ts';
export { documentListQuery, documentPagesQuery, pageParams } from './document-list.ts';
export { type DocumentUpdate, documentUpdate } from './document-update.ts';
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
