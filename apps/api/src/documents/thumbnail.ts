import { mkdtempDisposable } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Config } from '@sheaf/config';
import { AppError, documentNotFound, findKindByMimeType } from '@sheaf/contract';
import { getDocument, type LabelledDocument, referencedHashes } from '@sheaf/db';
import { makeThumbnail } from '@sheaf/extraction/thumbnail';
import { removeStoredBytes } from '@sheaf/ingest';
import { type CacheArea, makeFolder } from '@sheaf/runtime';
import { documentKey, ifThere, previewKey, type Storage, thumbnailKey } from '@sheaf/storage';
import type { Request } from 'express';
import { z } from 'zod';
import type { ApiDeps } from '../deps.ts';
import { idParams } from '../http/parse-input.ts';
import { streamRoute } from '../http/route.ts';

const side = z.coerce.number().int().min(1).max(2_000).default(200).describe('Pixels; the picture fits into width and height');

const FORMATS = { 'image/webp': 'webp', 'image/jpeg': 'jpeg', 'image/png': 'png' } as const;

/** WebP unless the caller asks for something else by name. */
const formatOf = (request: Request) => {
  const accepted = request.accepts(Object.keys(FORMATS));
  return accepted === 'image/jpeg' || accepted === 'image/png' ? FORMATS[accepted] : 'webp';
};

const notAvailable = (document: LabelledDocument): AppError =>
  new AppError('NOT_FOUND', 'There is no picture of this document yet', {
    code: 'THUMBNAIL_NOT_AVAILABLE',
    details: { document_id: document.id, status: document.status },
  });

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Draws the picture from the stored file, or from the preview of an office document; undefined where there is none yet. */
const draw = async (
  storage: Storage,
  { storage: { tempPath }, ocr: { limits } }: Config,
  document: LabelledDocument,
  size: Size,
  format: 'webp' | 'jpeg' | 'png',
  signal: AbortSignal,
) => {
  await makeFolder(tempPath);
  await using scratch = await mkdtempDisposable(join(tempPath, 'thumbnail-'));
  // An office document is drawn from its rendition alone: from a storage in the network its original need not be fetched.
  const isOffice = findKindByMimeType(document.mimeType)?.family === 'office';
  const path = isOffice
    ? await ifThere(storage.localPath(previewKey(document.sha256), scratch.path))
    : await storage.localPath(documentKey(document.sha256), scratch.path);
  if (path === undefined) return undefined;
  return await makeThumbnail({
    path,
    mimeType: document.mimeType,
    previewPath: isOffice ? path : undefined,
    ...size,
    format,
    scratchPath: scratch.path,
    limits,
    signal,
  });
};

/**
 * Keeps the picture. A document that was deleted while it was drawn has taken its files with it, and this one must not stay
 * behind: looked at after the picture is there, so that either the deletion sees it or we see the deletion.
 */
const keep = async (
  { database: { db }, storage }: ApiDeps,
  { id, sha256 }: LabelledDocument,
  key: string,
  picture: Uint8Array,
): Promise<void> => {
  await storage.put(key, picture);
  if ((await referencedHashes(db, [sha256])).size > 0) return;
  await removeStoredBytes({ db, storage }, sha256);
  throw documentNotFound(id);
};

const PICTURES: CacheArea<Uint8Array | undefined> = { name: 'thumbnails', sizeOf: (picture) => picture?.length ?? 0 };

/** Whole, as it is small: 2,000 by 2,000 pixels at most. */
const readKept = async (storage: Storage, key: string): Promise<Uint8Array | undefined> => {
  const kept = await ifThere(storage.open(key));
  return kept === undefined ? undefined : buffer(kept.stream);
};

const drawAndKeep = async (
  deps: ApiDeps,
  document: LabelledDocument,
  key: string,
  drawNow: () => ReturnType<typeof draw>,
): Promise<Uint8Array | undefined> => {
  const drawn = await drawNow();
  if (drawn !== undefined) await keep(deps, document, key, drawn);
  return drawn;
};

export const thumbnail = streamRoute({
  method: 'get',
  path: '/api/documents/{id}/thumbnail',
  access: 'documents.read',
  summary: 'A small picture of the first page, made once and kept',
  content: {
    requestHeaders: { Accept: 'image/jpeg or image/png instead of WebP' },
    answers: [{ status: 200, description: 'The picture', contentTypes: Object.keys(FORMATS) }],
  },
  errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', THUMBNAIL_NOT_AVAILABLE: 'NOT_FOUND', FILE_MISSING: 'NOT_FOUND', FILE_DAMAGED: 'NOT_FOUND' },
  params: idParams,
  query: z.strictObject({ width: side, height: side }),
  stream: async ({ params, query, principal, facts }, deps, { request, response }) => {
    const document = await getDocument(deps.database.db, principal, params.id);
    const format = formatOf(request);
    const key = thumbnailKey(document.sha256, `${query.width}x${query.height}.${format}`);
    // the key says nothing of who asks: that he may see the document was looked at before
    const picture = await deps.cache.get(
      PICTURES,
      key,
      async (signal) => {
        const drawNow = () => draw(deps.storage, deps.config, document, query, format, signal);
        return (
          (await readKept(deps.storage, key)) ??
          (await drawAndKeep(deps, document, key, () => deps.drawing.run(principal, signal, drawNow)))
        );
      },
      facts.signal,
    );
    if (picture === undefined) throw notAvailable(document);
    response.status(200).type(`image/${format}`);
    response.setHeader('Content-Length', picture.length);
    response.setHeader('Vary', 'Accept');
    response.setHeader('Cache-Control', 'private, max-age=86400');
    response.end(picture);
  },
});
