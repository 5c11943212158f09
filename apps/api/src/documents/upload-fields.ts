import { type AppError, codedError, idList, reasonedError } from '@sheaf/contract';
import { ocrLanguage } from '@sheaf/contract/queue';
import { type ImportOptions, type IncomingFile, type IngestResult, toRefusalError } from '@sheaf/ingest';
import { MAX_LABELS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { parseInput } from '../http/parse-input.ts';
import { withoutEmpty } from '../http/query-parameters.ts';
import type { DocumentServices } from './document-services.ts';

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
