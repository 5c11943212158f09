import { getDocument, type LabelledDocument } from '@sheaf/documents';
import { documentKey, type Storage } from '@sheaf/storage';
import { z } from 'zod';
import { idParams } from '../http/parse-input.ts';
import { type Route, streamRoute } from '../http/route.ts';
import type { DocumentServices } from './document-services.ts';
import { FILE_REQUEST_HEADERS, fileAnswers, sendStoredFile } from './stored-file.ts';

/** Kinds that a browser shows without running anything of theirs. */
const SAFE_INLINE = new Set(['application/pdf', 'text/plain', 'image/png', 'image/jpeg', 'image/tiff', 'image/bmp']);

export const inlineQuery = z.strictObject({
  inline: z.stringbool().default(false).describe('Display instead of download, for types without active content'),
});

/** Answers with a file of a document that the caller may read, shown in the browser only where nothing in it runs. */
export const sendDocumentFile = async (
  storage: Storage,
  { sha256, filename, mimeType, sizeBytes }: Pick<LabelledDocument, 'sha256' | 'filename' | 'mimeType' | 'sizeBytes'>,
  { inline }: z.infer<typeof inlineQuery>,
  http: Parameters<typeof sendStoredFile>[2],
): Promise<void> => {
  const disposition = inline && SAFE_INLINE.has(mimeType) ? 'inline' : 'attachment';
  await sendStoredFile(storage, { key: documentKey(sha256), filename, mimeType, sizeBytes, etag: `"${sha256}"`, disposition }, http);
};

export const download = ({ database, storage }: DocumentServices): Route =>
  streamRoute({
    method: 'get',
    path: '/api/documents/{id}/download',
    access: 'documents.read',
    summary: 'Download the original file; supports Range and If-None-Match',
    content: { requestHeaders: FILE_REQUEST_HEADERS, answers: fileAnswers('SHA-256 of the file') },
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', FILE_MISSING: 'NOT_FOUND', FILE_DAMAGED: 'NOT_FOUND' },
    params: idParams,
    query: inlineQuery,
    stream: async ({ params, query, principal }, http) => {
      await sendDocumentFile(storage, await getDocument(database.db, principal, params.id), query, http);
    },
  });
