import { documentBody } from '@sheaf/contract/documents';
import { getDocument } from '@sheaf/documents';
import { ingest } from '@sheaf/ingest';
import { requireReadableLabels } from '@sheaf/labels';
import { z } from 'zod';
import { type Route, streamRoute } from '../http/route.ts';
import { readUploadForm } from '../http/upload-form.ts';
import type { DocumentServices } from './document-services.ts';
import { presentDocument } from './present-documents.ts';
import { toUploadError, toWishes, uploadedFile, uploadFields } from './upload-fields.ts';

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
      const result = await readUploadForm(request, { maxFileBytes }, ({ filename, body }, late) =>
        ingest(
          {
            ...uploadedFile(filename, body, principal, services),
            signal: context.signal,
            lateWishes: async () => {
              const wishes = toWishes(await late());
              await services.languages.requireInstalled(wishes.language);
              await requireReadableLabels(services.database.db, principal, wishes.labelIds ?? []);
              return wishes;
            },
          },
          services.ingest,
        ),
      );
      if (result.outcome !== 'ingested') throw toUploadError(result);
      const { db } = services.database;
      const document = await getDocument(db, principal, result.document.id);
      response.status(201).json(documentBody.parse(await presentDocument(db, principal, document)));
    },
  });
