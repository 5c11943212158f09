import { type AppError, codedError } from '@sheaf/contract';
import { getDocument, type LabelledDocument } from '@sheaf/documents';
import type { ThumbnailFormat } from '@sheaf/extraction/thumbnail';
import { THUMBNAIL_SIZES } from '@sheaf/storage';
import type { Request } from 'express';
import { z } from 'zod';
import { idParams } from '../http/parse-input.ts';
import { type Route, streamRoute } from '../http/route.ts';
import type { DocumentFileServices, DocumentServices } from './document-services.ts';

const side = z.coerce.number().int().min(1).max(2_000).default(200).describe('Pixels; the image fits into width and height');

export const FORMATS = { 'image/webp': 'webp', 'image/jpeg': 'jpeg', 'image/png': 'png' } as const;

/** WebP unless the caller asks for something else by name. */
export const formatOf = (request: Request): ThumbnailFormat => {
  const accepted = request.accepts(Object.keys(FORMATS));
  return accepted === 'image/jpeg' || accepted === 'image/png' ? FORMATS[accepted] : 'webp';
};

const notAvailable = (document: LabelledDocument): AppError =>
  codedError('NOT_FOUND', 'THUMBNAIL_NOT_AVAILABLE', { document_id: document.id, status: document.status });

export const thumbnail = ({ database, thumbnails }: DocumentServices & DocumentFileServices): Route =>
  streamRoute({
    method: 'get',
    path: '/api/documents/{id}/thumbnail',
    access: 'documents.read',
    countsAs: 'picture',
    summary: 'Get a thumbnail of a page, the first one by default',
    description: `Stored in sizes of ${THUMBNAIL_SIZES.join(', ')} pixels in width and height; other sizes are scaled for each request, so prefer these.`,
    content: {
      requestHeaders: { Accept: 'image/jpeg or image/png instead of WebP' },
      answers: [{ status: 200, description: 'Thumbnail image', contentTypes: Object.keys(FORMATS) }],
    },
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', THUMBNAIL_NOT_AVAILABLE: 'NOT_FOUND', FILE_MISSING: 'NOT_FOUND', FILE_DAMAGED: 'NOT_FOUND' },
    params: idParams,
    query: z.strictObject({ width: side, height: side, page: z.coerce.number().int().min(1).max(1_000_000).default(1) }),
    stream: async ({ params, query, principal, context }, { request, response }) => {
      const document = await getDocument(database.db, principal, params.id);
      const format = formatOf(request);
      const picture = await thumbnails.find({ document, page: query.page, format, principal }, query, context.signal);
      if (picture === undefined) throw notAvailable(document);
      response.status(200).type(`image/${format}`);
      response.setHeader('Content-Length', picture.length);
      response.setHeader('Vary', 'Accept');
      response.setHeader('Cache-Control', 'private, max-age=86400');
      response.end(picture);
    },
  });
