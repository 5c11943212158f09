import { getDocument } from '@sheaf/documents';
import { findTrashed, type TrashedDocument } from '@sheaf/ingest/trash';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { Request, Response } from 'express';
import { download as downloadOwn, sendDocumentFile } from '../documents/download.ts';
import { preview as previewOwn, sendPreview } from '../documents/preview.ts';
import { sendThumbnail, thumbnail as thumbnailOwn } from '../documents/thumbnail.ts';
import { type Route, streamRoute } from '../http/route.ts';
import { passTo } from './ask-route.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { anyQuery, numberParams, requireNumber } from './query.ts';
import { PAPERLESS_PREFIX } from './requests.ts';

/** One of the sizes that are stored, so that none is drawn for each request. */
const THUMBNAIL_SIDE = 400;

type Answer = 'thumb' | 'preview' | 'download';

const SUMMARIES = {
  thumb: 'Get a picture of the first page',
  preview: 'Get the PDF of a document, or the file where there is none',
  download: 'Download the original file',
} as const satisfies Record<Answer, string>;

const hasPdf = (mimeType: string): boolean => mimeType === 'application/pdf' || findKindByMimeType(mimeType)?.family === 'office';

/** The file of a document in the trash, for who may see it there: programs show what they restore or remove. */
const sendTrashed = async (
  name: Answer,
  services: PaperlessServices,
  trashed: TrashedDocument,
  caller: { readonly principal: Principal; readonly signal: AbortSignal },
  http: { readonly request: Request; readonly response: Response },
): Promise<void> => {
  const document = { ...trashed, status: 'completed' as const };
  const { storage } = services;
  if (name === 'thumb') await sendThumbnail(services, document, { page: 1, width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE }, caller, http);
  else if (name === 'preview' && hasPdf(trashed.mimeType)) await sendPreview(storage, document, document, http);
  else await sendDocumentFile(storage, document, { inline: name === 'preview' }, http);
};

const fileRoute = (name: Answer, services: PaperlessServices): Route =>
  streamRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/documents/{id}/${name}`,
    access: 'documents.read',
    ...(name === 'thumb' ? { countsAs: 'picture' as const } : {}),
    summary: SUMMARIES[name],
    content: { answers: [{ status: 200, description: 'File content', contentTypes: ['*/*'] }] },
    params: numberParams,
    query: anyQuery,
    stream: async ({ params, principal, context }, http) => {
      const { db } = services.database;
      const id = await requireNumber(db, 'document', params);
      const trashed = await findTrashed(db, principal, id);
      if (trashed !== undefined) return await sendTrashed(name, services, trashed, { principal, signal: context.signal }, http);
      const own = { params: { id }, principal, context };
      if (name === 'thumb') {
        await passTo(thumbnailOwn(services), { ...own, query: { width: String(THUMBNAIL_SIDE), height: String(THUMBNAIL_SIDE) } }, http);
        return;
      }
      const isPdf = name === 'preview' && hasPdf((await getDocument(db, principal, id)).mimeType);
      if (isPdf) await passTo(previewOwn(services), own, http);
      else await passTo(downloadOwn(services), { ...own, query: { inline: String(name === 'preview') } }, http);
    },
  });

export const thumb = (services: PaperlessServices): Route => fileRoute('thumb', services);
export const preview = (services: PaperlessServices): Route => fileRoute('preview', services);
export const download = (services: PaperlessServices): Route => fileRoute('download', services);
