import { downloadForm, searchableProgressBody } from '@sheaf/contract/documents';
import { getDocument, type LabelledDocument } from '@sheaf/documents';
import { documentKey, type Storage } from '@sheaf/storage';
import { z } from 'zod';
import { idParams } from '../http/parse-input.ts';
import { type Route, streamRoute } from '../http/route.ts';
import type { DocumentFileServices, DocumentServices } from './document-services.ts';
import { FILE_REQUEST_HEADERS, fileAnswers, sendStoredFile } from './stored-file.ts';

const PDF = 'application/pdf';
/** Most searchable PDFs are made within it, so that they need one request. */
const PATIENCE_MS = 3_000;
const RETRY_AFTER_SECONDS = 2;
/** Kinds that a browser shows without running anything of theirs. */
const SAFE_INLINE = new Set([PDF, 'text/plain', 'image/png', 'image/jpeg', 'image/tiff', 'image/bmp']);

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

export const pdfNameOf = (filename: string): string => `${filename.replace(/\.[^.]*$/, '')}.pdf`;

export const download = ({ database, storage, searchablePdfs }: DocumentServices & DocumentFileServices): Route =>
  streamRoute({
    method: 'get',
    path: '/api/documents/{id}/download',
    access: 'documents.read',
    summary: 'Download the original file or a searchable PDF; supports Range and If-None-Match',
    description:
      '`as=searchable` returns a PDF whose scanned pages have the recognized words as invisible text. It is generated on request: until it is ready, the response is 202 with the progress; send the request again after Retry-After. Signed PDFs and PDFs that have all their text are returned unchanged. Where there is no searchable PDF, the response is 404 with `details.problem`: `unsupported` (text files and e-invoices), `not_processed`, `no_positions` (run OCR again), `no_rendition` (run OCR again), `encrypted`, `damaged`, `too_large`, `timeout` or `tool_missing`.',
    content: {
      requestHeaders: FILE_REQUEST_HEADERS,
      answers: [
        ...fileAnswers('SHA-256 of the file, or the version of the searchable PDF'),
        {
          status: 202,
          description: 'The searchable PDF is being generated',
          schema: searchableProgressBody,
          headers: { 'Retry-After': 'Seconds until the next request' },
        },
      ],
    },
    errors: {
      DOCUMENT_NOT_FOUND: 'NOT_FOUND',
      SEARCHABLE_PDF_NOT_AVAILABLE: 'NOT_FOUND',
      FILE_MISSING: 'NOT_FOUND',
      FILE_DAMAGED: 'NOT_FOUND',
    },
    params: idParams,
    query: inlineQuery.extend({ as: downloadForm.default('original') }),
    stream: async ({ params, query, principal, context }, http) => {
      const document = await getDocument(database.db, principal, params.id);
      if (query.as === 'original') return await sendDocumentFile(storage, document, query, http);
      const found = await searchablePdfs.find(document, principal, PATIENCE_MS, context.signal);
      if (found.kind === 'making') {
        http.response.status(202).setHeader('Retry-After', RETRY_AFTER_SECONDS).setHeader('Cache-Control', 'no-store');
        http.response.json({ progress: found.progress });
        return;
      }
      const disposition = query.inline ? 'inline' : 'attachment';
      await sendStoredFile(storage, { ...found.file, filename: pdfNameOf(document.filename), mimeType: PDF, disposition }, http);
    },
  });
