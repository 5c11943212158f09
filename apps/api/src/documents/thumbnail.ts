import { AppError, type Principal } from '@sheaf/contract';
import { getDocument, type LabelledDocument } from '@sheaf/db';
import type { ThumbnailFormat } from '@sheaf/extraction/thumbnail';
import type { CacheArea } from '@sheaf/runtime';
import { coveringSize, THUMBNAIL_SIZES, type ThumbnailSize, thumbnailKey, thumbnailVariant } from '@sheaf/storage';
import type { Request } from 'express';
import { z } from 'zod';
import type { ApiDeps } from '../deps.ts';
import { idParams } from '../http/parse-input.ts';
import { streamRoute } from '../http/route.ts';
import { drawRendition, type Frame, keepRendition, readRendition, scaleRendition } from './rendition.ts';

const side = z.coerce.number().int().min(1).max(2_000).default(200).describe('Pixels; the image fits into width and height');

const FORMATS = { 'image/webp': 'webp', 'image/jpeg': 'jpeg', 'image/png': 'png' } as const;

/** WebP unless the caller asks for something else by name. */
const formatOf = (request: Request) => {
  const accepted = request.accepts(Object.keys(FORMATS));
  return accepted === 'image/jpeg' || accepted === 'image/png' ? FORMATS[accepted] : 'webp';
};

const notAvailable = (document: LabelledDocument): AppError =>
  new AppError('NOT_FOUND', 'This document has no thumbnail yet.', {
    code: 'THUMBNAIL_NOT_AVAILABLE',
    details: { document_id: document.id, status: document.status },
  });

const PICTURES: CacheArea<Uint8Array | undefined> = { name: 'thumbnails', sizeOf: (picture) => picture?.length ?? 0 };

interface Wanted {
  readonly document: LabelledDocument;
  readonly format: ThumbnailFormat;
  readonly principal: Principal;
}

/** The picture in one of the stored sizes: from memory, from the storage, or drawn now and stored. */
const findRendition = (deps: ApiDeps, { document, format, principal }: Wanted, size: ThumbnailSize, signal: AbortSignal) => {
  const key = thumbnailKey(document.sha256, thumbnailVariant(size, format));
  // the key says nothing of who asks: that the caller may see the document was checked before
  return deps.cache.get(
    PICTURES,
    key,
    async (making) => {
      const stored = await readRendition(deps.storage, key);
      if (stored !== undefined) return stored;
      const draw = () => drawRendition(deps.storage, deps.config, document, size, format, making);
      const drawn = await deps.drawing.run(principal, making, draw);
      if (drawn !== undefined) await keepRendition(deps, document, key, drawn);
      return drawn;
    },
    signal,
  );
};

/** In any size. What is not one of the stored sizes is made anew each time: there are millions of them. */
const findPicture = async (deps: ApiDeps, wanted: Wanted, frame: Frame, signal: AbortSignal): Promise<Uint8Array | undefined> => {
  const size = coveringSize(frame.width, frame.height);
  const rendition = await findRendition(deps, wanted, size, signal);
  if (rendition === undefined || (frame.width === size && frame.height === size)) return rendition;
  return deps.drawing.run(wanted.principal, signal, () => scaleRendition(deps.config, rendition, frame, wanted.format, signal));
};

export const thumbnail = streamRoute({
  method: 'get',
  path: '/api/documents/{id}/thumbnail',
  access: 'documents.read',
  summary: 'Get a thumbnail of the first page',
  description: `Stored in sizes of ${THUMBNAIL_SIZES.join(', ')} pixels in width and height; other sizes are scaled for each request, so prefer these.`,
  content: {
    requestHeaders: { Accept: 'image/jpeg or image/png instead of WebP' },
    answers: [{ status: 200, description: 'Thumbnail image', contentTypes: Object.keys(FORMATS) }],
  },
  errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', THUMBNAIL_NOT_AVAILABLE: 'NOT_FOUND', FILE_MISSING: 'NOT_FOUND', FILE_DAMAGED: 'NOT_FOUND' },
  params: idParams,
  query: z.strictObject({ width: side, height: side }),
  stream: async ({ params, query, principal, facts }, deps, { request, response }) => {
    const document = await getDocument(deps.database.db, principal, params.id);
    const format = formatOf(request);
    const picture = await findPicture(deps, { document, format, principal }, query, facts.signal);
    if (picture === undefined) throw notAvailable(document);
    response.status(200).type(`image/${format}`);
    response.setHeader('Content-Length', picture.length);
    response.setHeader('Vary', 'Accept');
    response.setHeader('Cache-Control', 'private, max-age=86400');
    response.end(picture);
  },
});
