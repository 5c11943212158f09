export { type GoingDocument, moveToTrash } from './move-to-trash.ts';
export { emptyTrash, purgeDocument, purgeExpired } from './purge.ts';
export { type RestoredDocument, restoreDocument, restoreInTransaction } from './restore-document.ts';
export {
  countPurgeable,
  findTrashed,
  findTrashedBytes,
  getTrashed,
  listTrash,
  listTrashAfter,
  requireTrashed,
  type TrashedDocument,
} from './trashed-documents.ts';
