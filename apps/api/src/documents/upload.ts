import { AppError, documentBody, ocrLanguage } from '@sheaf/contract';
import { getDocument } from '@sheaf/db';
import { type IngestResult, ingest, toRefusalError, type Wishes } from '@sheaf/ingest';
import { z } from 'zod';
import { parseInput } from '../http/parse-input.ts';
import { streamRoute } from '../http/route.ts';
import { readUploadForm } from '../http/upload-form.ts';
import { requireInstalledLanguage } from '../queue/languages.ts';
import { toDocumentBody } from './document-body.ts';

const uploadFields = z.strictObject({
  title: z.string().trim().min(1).max(1_000).optional(),
  labels: z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((id) => id.trim())
        .filter((id) => id !== ''),
    )
    .pipe(z.array(z.uuid()).max(100))
    .optional(),
  ocr_enabled: z.stringbool().optional(),
  language: ocrLanguage.optional(),
});

const toWishes = (fields: Readonly<Record<string, string>>): Wishes => {
  const { title, labels, ocr_enabled, language } = parseInput(uploadFields, fields, 'body');
  return { title, labelIds: labels, ocrEnabled: ocr_enabled, language };
};

const duplicate = (result: IngestResult & { outcome: 'duplicate' }): AppError =>
  new AppError(
    'DUPLICATE_RESOURCE',
    result.requeued ? 'The same file is here already; reading it had failed and is tried again' : 'The same file is here already',
    {
      details: { document_id: result.documentId, requeued: result.requeued },
    },
  );

export const upload = streamRoute({
  method: 'post',
  path: '/api/documents/upload',
  access: 'documents.create',
  summary: 'Upload one file; it is stored before this answers, and read in the background',
  stream: async ({ principal, facts }, deps, { request, response }) => {
    const { maxFileBytes, allowedFileTypes } = deps.config.ingest;
    const result = await readUploadForm(request, { maxFileBytes }, ({ filename, body }, late) =>
      ingest(
        {
          route: 'upload',
          filename,
          ledgerPath: filename,
          ownerId: principal.userId,
          body,
          maxBytes: maxFileBytes,
          allowedExtensions: allowedFileTypes.upload,
          signal: facts.signal,
          lateWishes: async () => {
            const wishes = toWishes(await late());
            await requireInstalledLanguage(deps, wishes.language);
            return wishes;
          },
        },
        deps.ingest,
      ),
    );
    if (result.outcome === 'refused') throw toRefusalError(result);
    if (result.outcome === 'duplicate') throw duplicate(result);
    const document = await getDocument(deps.database.db, principal, result.document.id);
    response.status(201).json(documentBody.parse(toDocumentBody(document)));
  },
});
