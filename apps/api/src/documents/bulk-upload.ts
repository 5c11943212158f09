import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { type AppError, reasonedError, toErrorReport } from '@sheaf/contract';
import { type BulkUploadBody, bulkUploadBody } from '@sheaf/contract/documents';
import { getDocument } from '@sheaf/documents';
import { requireReadableLabels } from '@sheaf/documents/labels';
import { type ImportOptions, ingest, noteFailure } from '@sheaf/ingest';
import { type TempArea, withStorageErrors } from '@sheaf/storage';
import type { ErrorKind } from '@sheaf/vocabulary/error-codes';
import { MAX_BULK_FILES } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { Request } from 'express';
import { z } from 'zod';
import { toAppError } from '../http/errors.ts';
import { type Route, streamRoute } from '../http/route.ts';
import { readFilesForm, type UploadedFile } from '../http/upload-form.ts';
import type { DocumentServices } from './document-services.ts';
import { presentDocument } from './present-documents.ts';
import { bulkUploadFields, toBulkOptions, toUploadError, uploadedFile } from './upload.ts';

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
