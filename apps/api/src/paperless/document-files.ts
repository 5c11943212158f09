import { getDocument } from '@sheaf/documents';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import { download as downloadOwn } from '../documents/download.ts';
import { preview as previewOwn } from '../documents/preview.ts';
import { thumbnail as thumbnailOwn } from '../documents/thumbnail.ts';
import { type Route, streamRoute } from '../http/route.ts';
import { passTo } from './ask-route.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { anyQuery, numberParams, requireNumber } from './query.ts';
import { PAPERLESS_PREFIX } from './requests.ts';

/** One of the sizes that are stored, so that none is drawn for each request. */
const THUMBNAIL_SIDE = '400';

type Answer = 'thumb' | 'preview' | 'download';

const SUMMARIES = {
  thumb: 'Get a picture of the first page',
  preview: 'Get the PDF of a document, or the file where there is none',
  download: 'Download the original file',
} as const satisfies Record<Answer, string>;

const hasPdf = (mimeType: string): boolean => mimeType === 'application/pdf' || findKindByMimeType(mimeType)?.family === 'office';

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
      const own = { params: { id }, principal, context };
      if (name === 'thumb') {
        await passTo(thumbnailOwn(services), { ...own, query: { width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE } }, http);
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
