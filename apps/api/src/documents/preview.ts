import { codedError } from '@sheaf/contract';
import { getDocument, type LabelledDocument } from '@sheaf/documents';
import { documentKey, previewKey, type Storage } from '@sheaf/storage';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import { idParams } from '../http/parse-input.ts';
import { type Route, streamRoute } from '../http/route.ts';
import type { DocumentServices } from './document-services.ts';
import { pdfNameOf } from './download.ts';
import { FILE_REQUEST_HEADERS, fileAnswers, type StoredFile, sendStoredFile } from './stored-file.ts';

const PDF = 'application/pdf';

/** A file of a document. */
type PreviewedFile = Pick<LabelledDocument, 'filename' | 'mimeType' | 'sizeBytes' | 'sha256'>;

/** Where the PDF is and how it is told from another; undefined where there is none. */
const findPdf = async (
  storage: Storage,
  { sha256, mimeType, sizeBytes }: PreviewedFile,
): Promise<Pick<StoredFile, 'key' | 'sizeBytes' | 'etag'> | undefined> => {
  if (mimeType === PDF) return { key: documentKey(sha256), sizeBytes, etag: `"${sha256}"` };
  if (findKindByMimeType(mimeType)?.family !== 'office') return undefined; // nobody makes one of the others
  const preview = await storage.stat(previewKey(sha256));
  // made by a program, so another version of it may make another file from the same original
  return preview && { key: preview.key, sizeBytes: preview.sizeBytes, etag: `"${sha256}-${preview.modifiedAt.getTime().toString(36)}"` };
};

/** Answers with a file of a document that the caller may read as PDF. Throws PREVIEW_NOT_AVAILABLE, and what the storage throws. */
export const sendPreview = async (
  storage: Storage,
  { id, status }: Pick<LabelledDocument, 'id' | 'status'>,
  file: PreviewedFile,
  http: Parameters<typeof sendStoredFile>[2],
): Promise<void> => {
  const pdf = await findPdf(storage, file);
  if (pdf === undefined) throw codedError('NOT_FOUND', 'PREVIEW_NOT_AVAILABLE', { document_id: id, status, mime_type: file.mimeType });
  await sendStoredFile(storage, { ...pdf, filename: pdfNameOf(file.filename), mimeType: PDF, disposition: 'inline' }, http);
};

export const preview = ({ database, storage }: DocumentServices): Route =>
  streamRoute({
    method: 'get',
    path: '/api/documents/{id}/preview',
    access: 'documents.read',
    summary: 'Get the PDF preview: the converted office document, or the PDF itself',
    description:
      'Other types, and office documents that are not processed yet, return 404 with the reason preview_not_available and the status of the document.',
    content: { requestHeaders: FILE_REQUEST_HEADERS, answers: fileAnswers('ETag of the preview', PDF) },
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', PREVIEW_NOT_AVAILABLE: 'NOT_FOUND', FILE_MISSING: 'NOT_FOUND', FILE_DAMAGED: 'NOT_FOUND' },
    params: idParams,
    stream: async ({ params, principal }, http) => {
      const document = await getDocument(database.db, principal, params.id);
      await sendPreview(storage, document, document, http);
    },
  });
