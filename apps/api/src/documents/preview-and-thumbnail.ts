import { type AppError, codedError } from '@sheaf/contract';
import { getDocument, type LabelledDocument } from '@sheaf/documents';
import type { Frame, ThumbnailFormat } from '@sheaf/extraction/thumbnail';
import { documentKey, previewKey, type Storage, THUMBNAIL_SIZES } from '@sheaf/storage';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { idParams } from '../http/parse-input.ts';
import { type Route, streamRoute } from '../http/route.ts';
import type { DocumentFileServices, DocumentServices, PicturedDocument } from './document-services.ts';
import { pdfNameOf } from './download.ts';
import { FILE_REQUEST_HEADERS, fileAnswers, type StoredFile, sendStoredFile } from './stored-file.ts';

const side = z.coerce.number().int().min(1).max(2_000).default(200).describe('Pixels; the image fits into width and height');

export const FORMATS = { 'image/webp': 'webp', 'image/jpeg': 'jpeg', 'image/png': 'png' } as const;

/** WebP unless the caller asks for something else by name. */
export const formatOf = (request: Request): ThumbnailFormat => {
  const accepted = request.accepts(Object.keys(FORMATS));
  return accepted === 'image/jpeg' || accepted === 'image/png' ? FORMATS[accepted] : 'webp';
};

const notAvailable = ({ id, status }: Pick<LabelledDocument, 'id' | 'status'>): AppError =>
  codedError('NOT_FOUND', 'THUMBNAIL_NOT_AVAILABLE', { document_id: id, status });

/** Answers with a picture of a page of a document that the caller may read. Throws THUMBNAIL_NOT_AVAILABLE. */
export const sendThumbnail = async (
  { thumbnails }: Pick<DocumentFileServices, 'thumbnails'>,
  document: PicturedDocument & Pick<LabelledDocument, 'status'>,
  { page, ...frame }: Frame & { readonly page: number },
  { principal, signal }: { readonly principal: Principal; readonly signal: AbortSignal },
  { request, response }: { readonly request: Request; readonly response: Response },
): Promise<void> => {
  const format = formatOf(request);
  const picture = await thumbnails.find({ document, page, format, principal }, frame, signal);
  if (picture === undefined) throw notAvailable(document);
  response.status(200).type(`image/${format}`);
  response.setHeader('Content-Length', picture.length);
  response.setHeader('Vary', 'Accept');
  response.setHeader('Cache-Control', 'private, max-age=86400');
  response.end(picture);
};

export const thumbnail = (services: DocumentServices & DocumentFileServices): Route =>
  streamRoute({
    method: 'get',
    path: '/api/documents/{id}/thumbnail',
    access: 'documents.read',
    countsAs: 'picture',
    summary: 'Get a thumbnail of a page, the first one by default',
    description: `Stored in sizes of ${THUMBNAIL_SIZES.join(', ')} pixels in width and height; other sizes are scaled for each request, so prefer these.`,
    content: {
      requestHeaders: { Accept: 'image/jpeg or image/png instead of WebP' },
      answers: [{ status: 200, description: 'Thumbnail image', contentTypes: Object.keys(FORMATS) }],
    },
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', THUMBNAIL_NOT_AVAILABLE: 'NOT_FOUND', FILE_MISSING: 'NOT_FOUND', FILE_DAMAGED: 'NOT_FOUND' },
    params: idParams,
    query: z.strictObject({ width: side, height: side, page: z.coerce.number().int().min(1).max(1_000_000).default(1) }),
    stream: async ({ params, query, principal, context: { signal } }, http) => {
      await sendThumbnail(services, await getDocument(services.database.db, principal, params.id), query, { principal, signal }, http);
    },
  });

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
