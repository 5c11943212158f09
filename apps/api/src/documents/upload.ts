import { documentBody } from '@sheaf/contract';
import { getDocument, requireReadableLabels } from '@sheaf/db';
import { ingest } from '@sheaf/ingest';
import { z } from 'zod';
import { streamRoute } from '../http/route.ts';
import { readUploadForm } from '../http/upload-form.ts';
import { requireInstalledLanguage } from '../queue/languages.ts';
import { toDocumentBody } from './document-body.ts';
import { toUploadError, toWishes, uploadedFile, uploadFields } from './upload-fields.ts';

export const upload = streamRoute({
  method: 'post',
  path: '/api/documents/upload',
  access: 'documents.create',
  summary: 'Upload a file; it is stored before the response and processed in the background',
  content: {
    form: uploadFields.extend({ file: z.file() }),
    answers: [{ status: 201, description: 'The document, queued for processing', schema: documentBody }],
  },
  errors: { DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE', INCOMPLETE_FILE: 'VALIDATION_ERROR', QUEUE_FULL: 'SERVICE_UNAVAILABLE' },
  stream: async ({ principal, facts }, deps, { request, response }) => {
    await deps.ingest.queue?.requireRoom();
    const { maxFileBytes } = deps.config.ingest;
    const result = await readUploadForm(request, { maxFileBytes }, ({ filename, body }, late) =>
      ingest(
        {
          ...uploadedFile(filename, body, principal, deps),
          signal: facts.signal,
          lateWishes: async () => {
            const wishes = toWishes(await late());
            await requireInstalledLanguage(deps, wishes.language);
            await requireReadableLabels(deps.database.db, principal, wishes.labelIds ?? []);
            return wishes;
          },
        },
        deps.ingest,
      ),
    );
    if (result.outcome !== 'ingested') throw toUploadError(result);
    const document = await getDocument(deps.database.db, principal, result.document.id);
    response.status(201).json(documentBody.parse(toDocumentBody(document)));
  },
});
