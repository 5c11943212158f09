import { type DocumentBody, documentBody } from '@sheaf/contract/documents';
import type { Document } from '@sheaf/db/schema';
import { getDocument } from '@sheaf/documents';
import { requireReadableLabels } from '@sheaf/documents/labels';
import { ingest } from '@sheaf/ingest';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { type Route, streamRoute } from '../http/route.ts';
import { readUploadForm } from '../http/upload-form.ts';
import type { DocumentServices } from './document-services.ts';
import { presentDocument, toDocumentBody } from './present-documents.ts';
import { toOptions, toUploadError, uploadedFile, uploadFields } from './upload-fields.ts';

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
