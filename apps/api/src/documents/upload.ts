import { type AppError, codedError, idList, reasonedError } from '@sheaf/contract';
import { type DocumentBody, documentBody } from '@sheaf/contract/documents';
import { ocrLanguage } from '@sheaf/contract/queue';
import type { Document } from '@sheaf/db/schema';
import { getDocument } from '@sheaf/documents';
import { requireReadableLabels } from '@sheaf/documents/labels';
import { type ImportOptions, type IncomingFile, type IngestResult, ingest, toRefusalError } from '@sheaf/ingest';
import { MAX_LABELS } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { parseInput, withoutEmpty } from '../http/parse-input.ts';
import { type Route, streamRoute } from '../http/route.ts';
import { readUploadForm } from '../http/upload-form.ts';
import type { DocumentServices } from './document-services.ts';
import { presentDocument, toDocumentBody } from './present-documents.ts';

const labelIds = idList(MAX_LABELS).describe('IDs of labels visible to the caller, comma-separated; requires labels.read');

const readingFields = { ocr_enabled: z.stringbool().optional(), language: ocrLanguage.optional() };

/** The fields beside the file of an upload. */
export const uploadFields = z.strictObject({
  title: z.string().trim().min(1).max(1_000).optional(),
  labels: labelIds.optional(),
  ...readingFields,
});

/** The fields beside the files of an upload of several, which count for each of them. */
export const bulkUploadFields = z.strictObject({ default_labels: labelIds.optional(), ...readingFields });

export const toOptions = (fields: Readonly<Record<string, string>>): ImportOptions => {
  const { title, labels, ocr_enabled, language } = parseInput(uploadFields, withoutEmpty(fields), 'body');
  return { title, labelIds: labels, ocrEnabled: ocr_enabled, language };
};

export const toBulkOptions = (fields: Readonly<Record<string, string>>): ImportOptions => {
  const { default_labels, ocr_enabled, language } = parseInput(bulkUploadFields, withoutEmpty(fields), 'body');
  return { labelIds: default_labels, ocrEnabled: ocr_enabled, language };
};

/** What an uploaded file is to ingest, whoever reads its bytes. */
export const uploadedFile = (
  filename: string,
  body: IncomingFile['body'],
  principal: Principal,
  { ingest: { settings } }: DocumentServices,
): Pick<IncomingFile, 'route' | 'filename' | 'ledgerPath' | 'ownerId' | 'body' | 'maxBytes' | 'allowedExtensions'> => ({
  route: 'upload',
  filename,
  ledgerPath: filename,
  ownerId: principal.userId,
  body,
  maxBytes: settings.current().maxFileBytes,
  allowedExtensions: settings.current().allowedFileTypes.upload,
});

/** Why a file did not become a document. */
export const toUploadError = (result: Exclude<IngestResult, { outcome: 'ingested' }>): AppError => {
  if (result.outcome === 'refused') return toRefusalError(result);
  if (result.outcome === 'trashed') return codedError('DUPLICATE_RESOURCE', 'DOCUMENT_IN_TRASH', { document_id: result.documentId });
  const reason = result.requeued ? 'duplicate_file_read_again' : 'duplicate_file';
  return reasonedError('DUPLICATE_RESOURCE', reason, { document_id: result.documentId, requeued: result.requeued });
};

/** Of a document that has just been made of the caller's file: where it has no labels, its row says all. */
const presentUploaded = async (
  { database: { db } }: DocumentServices,
  principal: Principal,
  document: Document,
  hasLabels: boolean,
): Promise<DocumentBody> => {
  const mayRead = scopeOf(principal.permissions, 'documents.read') !== 'none';
  if (mayRead && !hasLabels) return toDocumentBody({ ...document, labels: [] }, { fields: [] });
  return presentDocument(db, principal, await getDocument(db, principal, document.id));
};

export const upload = (services: DocumentServices): Route =>
  streamRoute({
    method: 'post',
    path: '/api/documents/upload',
    access: 'documents.create',
    countsAs: 'upload',
    summary: 'Upload a file; it is stored before the response and processed in the background',
    content: {
      form: uploadFields.extend({ file: z.file() }),
      answers: [{ status: 201, description: 'The document, queued for processing', schema: documentBody }],
    },
    errors: {
      DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE',
      DOCUMENT_IN_TRASH: 'DUPLICATE_RESOURCE',
      INCOMPLETE_FILE: 'VALIDATION_ERROR',
      QUEUE_FULL: 'SERVICE_UNAVAILABLE',
    },
    stream: async ({ principal, context }, { request, response }) => {
      await services.ingest.queue?.requireRoom();
      const { maxFileBytes } = services.ingest.settings.current();
      let hasLabels = false;
      const result = await readUploadForm(request, { maxFileBytes }, ({ filename, body }, late) =>
        ingest(
          {
            ...uploadedFile(filename, body, principal, services),
            signal: context.signal,
            deferredOptions: async () => {
              const options = toOptions(await late());
              await services.languages.requireInstalled(options.language);
              await requireReadableLabels(services.database.db, principal, options.labelIds ?? []);
              hasLabels = (options.labelIds ?? []).length > 0;
              return options;
            },
          },
          services.ingest,
        ),
      );
      if (result.outcome !== 'ingested') throw toUploadError(result);
      const body = await presentUploaded(services, principal, result.document, hasLabels);
      response.status(201).json(documentBody.parse(body));
    },
  });
