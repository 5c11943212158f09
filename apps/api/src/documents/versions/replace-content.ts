import { recordAudit } from '@sheaf/accounts/users';
import { type AppError, reasonedError } from '@sheaf/contract';
import { documentBody } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { getDocument, lockDocument, readWholeDocument } from '@sheaf/documents';
import { ingestVersion, toRefusalError, type VersionResult } from '@sheaf/ingest';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { idParams, parseInput } from '../../http/parse-input.ts';
import { type Route, streamRoute } from '../../http/route.ts';
import { readUploadForm } from '../../http/upload-form.ts';
import type { DocumentServices } from '../document-services.ts';
import { presentDocument } from '../present-documents.ts';
import { DOCUMENT_ACTIONS, findDocuments, takeDocuments } from '../select-documents.ts';
import { uploadedFile } from '../upload.ts';

/** There are none beside the file. */
const OTHER_FIELDS = z.strictObject({});

/** Why a file did not become the newest version. */
const toVersionError = (result: Extract<VersionResult, { outcome: 'refused' | 'duplicate' }>): AppError =>
  result.outcome === 'refused'
    ? toRefusalError(result)
    : reasonedError('DUPLICATE_RESOURCE', 'duplicate_file', { document_id: result.documentId, requeued: false });

/** The document, which the caller may change, with its job locked so that its file can be replaced. Throws as `takeDocuments` does. */
export const lockForReplacement = async (tx: Db, principal: Principal, id: string) => {
  await takeDocuments(tx, principal, DOCUMENT_ACTIONS.replace, { ids: [id] });
  return lockDocument(tx, id);
};

export const replaceContent = (services: DocumentServices): Route =>
  streamRoute({
    method: 'put',
    path: '/api/documents/{id}/content',
    access: 'documents.update',
    countsAs: 'upload',
    summary: 'Replace the file of a document; the previous file becomes an earlier version',
    description:
      'The document keeps its ID, title, labels, notes and everything that was set by a user, and is processed again. The same limits apply as to uploads. A file that the document has already changes nothing; a file that another document of the owner has returns 409 with its ID.',
    content: {
      form: OTHER_FIELDS.extend({ file: z.file() }),
      answers: [{ status: 200, description: 'The document, queued for processing unless its file is unchanged', schema: documentBody }],
    },
    errors: {
      DOCUMENT_NOT_FOUND: 'NOT_FOUND',
      DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE',
      INCOMPLETE_FILE: 'VALIDATION_ERROR',
      QUEUE_FULL: 'SERVICE_UNAVAILABLE',
    },
    params: idParams,
    stream: async ({ params: { id }, principal, context: { signal, address } }, { request, response }) => {
      const { db } = services.database;
      const { ownerId } = await getDocument(db, principal, id);
      await findDocuments(db, principal, DOCUMENT_ACTIONS.replace.permission, { ids: [id] }); // before anything is read
      await services.ingest.queue?.requireRoom();
      const { maxFileBytes } = services.ingest.settings.current();
      const result = await readUploadForm(request, { maxFileBytes }, ({ filename, body }, late) =>
        ingestVersion(
          {
            ...uploadedFile(filename, body, principal, services),
            ownerId,
            documentId: id,
            signal,
            deferredOptions: async () => {
              parseInput(OTHER_FIELDS, await late(), 'body');
              return {};
            },
            lock: (tx) => lockForReplacement(tx, principal, id),
            onReplaced: (tx, before, after) =>
              recordAudit(tx, {
                actor: principal,
                address,
                action: 'document.content_replaced',
                outcome: 'success',
                subject: { type: 'document', id },
                details: { version: after.version, sha256: after.sha256, previous_sha256: before.sha256 },
              }),
          },
          services.ingest,
        ),
      );
      if (result.outcome === 'refused' || result.outcome === 'duplicate') throw toVersionError(result);
      const document = await readWholeDocument(db, principal, id);
      response.status(200).json(documentBody.parse(await presentDocument(db, principal, document, document.content)));
    },
  });
