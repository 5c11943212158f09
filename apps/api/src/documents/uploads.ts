import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { type AppError, codedError, idList, reasonedError, toErrorReport } from '@sheaf/contract';
import { type BulkUploadBody, bulkUploadBody, type DocumentBody, documentBody } from '@sheaf/contract/documents';
import { ocrLanguage } from '@sheaf/contract/queue';
import type { Document } from '@sheaf/db/schema';
import { getDocument } from '@sheaf/documents';
import { requireReadableLabels } from '@sheaf/documents/labels';
import { type ImportOptions, type IncomingFile, type IngestResult, ingest, noteFailure, toRefusalError } from '@sheaf/ingest';
import { type TempArea, withStorageErrors } from '@sheaf/storage';
import type { ErrorKind } from '@sheaf/vocabulary/error-codes';
import { MAX_BULK_FILES, MAX_LABELS } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { Request } from 'express';
import { z } from 'zod';
import { toAppError } from '../http/errors.ts';
import { parseInput, withoutEmpty } from '../http/parse-input.ts';
import { type Route, streamRoute } from '../http/route.ts';
import { readFilesForm, readUploadForm, type UploadedFile } from '../http/upload-form.ts';
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

/** A file that waits for the end of the form it came in. */
interface WaitingFile {
  readonly filename: string;
  readonly path: string;
}

/** Writes a file down, no more of it than tells that it is too large: refusing it is the business of `ingest`. */
const spool = async (
  { filename, body }: UploadedFile,
  temp: TempArea,
  maxBytes: number,
  scope: AsyncDisposableStack,
): Promise<WaitingFile> => {
  const { path } = scope.use(await temp.makeFile());
  const handle = await withStorageErrors(path, () => open(path, 'wx', 0o600));
  try {
    let bytes = 0;
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      await withStorageErrors(path, () => handle.writeFile(chunk));
      bytes += chunk.length;
      if (bytes > maxBytes) break;
    }
  } finally {
    await handle.close();
  }
  return { filename, path };
};

const importOne = async ({ filename, path }: WaitingFile, options: ImportOptions, principal: Principal, services: DocumentServices) => {
  const body = createReadStream(path);
  try {
    const result = await ingest({ ...options, ...uploadedFile(filename, body, principal, services) }, services.ingest);
    if (result.outcome !== 'ingested') throw toUploadError(result);
    const { db } = services.database;
    return await presentDocument(db, principal, await getDocument(db, principal, result.document.id));
  } finally {
    body.destroy();
  }
};

/** The kind of all of them, or that of a request that is wrong. */
const commonKind = (errors: readonly AppError[]): ErrorKind => {
  const kinds = new Set(errors.map(({ kind }) => kind));
  const [kind = 'VALIDATION_ERROR'] = kinds;
  return kinds.size === 1 ? kind : 'VALIDATION_ERROR';
};

/** Takes the files in, one after the other; what is wrong with one is no concern of the others. Throws where no document came of any. */
const takeAllIn = async (
  files: readonly WaitingFile[],
  options: ImportOptions,
  principal: Principal,
  services: DocumentServices,
): Promise<BulkUploadBody> => {
  const answer: BulkUploadBody = { uploaded: 0, failed: 0, documents: [], errors: [] };
  const failures: AppError[] = [];
  for (const [index, file] of files.entries()) {
    try {
      answer.documents.push(await importOne(file, options, principal, services));
      answer.uploaded += 1;
    } catch (error) {
      const known = toAppError(error);
      if (known.status >= 500) services.log.error({ err: error }, 'bulk upload: file not imported');
      answer.errors.push({ index, filename: file.filename, error: toErrorReport(known) });
      answer.failed += 1;
      failures.push(known);
    }
  }
  if (answer.uploaded === 0)
    throw reasonedError(commonKind(failures), 'no_file_imported', { failed: answer.failed, errors: answer.errors });
  return answer;
};

/** The whole form, when nothing is wrong with it. When something is, each file that was seen has its line in the ledger. */
const receiveForm = async (
  request: Request,
  scope: AsyncDisposableStack,
  principal: Principal,
  services: DocumentServices,
): Promise<{ files: readonly WaitingFile[]; options: ImportOptions }> => {
  const { maxFileBytes } = services.ingest.settings.current();
  const seen: UploadedFile[] = [];
  try {
    const { files, fields } = await readFilesForm(request, { maxFileBytes, maxFiles: MAX_BULK_FILES }, (file) => {
      seen.push(file);
      return spool(file, services.ingest.temp, maxFileBytes, scope);
    });
    const options = toBulkOptions(fields);
    await services.languages.requireInstalled(options.language);
    await requireReadableLabels(services.database.db, principal, options.labelIds ?? []);
    return { files, options };
  } catch (error) {
    for (const { filename, body } of seen)
      await noteFailure(services.database.db, uploadedFile(filename, body, principal, services), error);
    throw error;
  }
};

export const bulkUpload = (services: DocumentServices): Route =>
  streamRoute({
    method: 'post',
    path: '/api/documents/bulk-upload',
    access: 'documents.create',
    countsAs: 'upload',
    summary: `Upload up to ${MAX_BULK_FILES} files; files are processed independently`,
    description: `The whole form is received before the first import. An invalid form, with more than ${MAX_BULK_FILES} files, no file, an unknown label or language or an unknown field, is rejected with 400, and nothing is stored. If at least one file became a document, the response is 201: \`errors\` contains the error of each failed file as in a single upload, such as DUPLICATE_RESOURCE with the \`document_id\` in its details. If no file became a document, the response is an error with the same \`errors\` in its details: of the kind of all of them, such as DUPLICATE_RESOURCE, otherwise VALIDATION_ERROR. The upload size limit applies per file.`,
    content: {
      form: bulkUploadFields.extend({ files: z.array(z.file()).min(1).max(MAX_BULK_FILES) }),
      answers: [{ status: 201, description: 'Results of the files', schema: bulkUploadBody }],
    },
    errors: { INCOMPLETE_FILE: 'VALIDATION_ERROR', QUEUE_FULL: 'SERVICE_UNAVAILABLE' },
    stream: async ({ principal }, { request, response }) => {
      await services.ingest.queue?.requireRoom();
      await using scope = new AsyncDisposableStack();
      const { files, options } = await receiveForm(request, scope, principal, services);
      const answer = await takeAllIn(files, options, principal, services);
      response.status(201).json(bulkUploadBody.parse(answer));
    },
  });
