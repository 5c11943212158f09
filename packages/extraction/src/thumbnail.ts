import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { PictureMaker } from './images/image-host.ts';
import { type Frame, type ImageRequest, PPM_MIME_TYPE, type ThumbnailFormat } from './images/image-messages.ts';
import { Poppler } from './pdf/poppler.ts';
import { copyPicture, openScratch } from './scratch.ts';
import { readFirstPage } from './text/read-text.ts';

export { FairSlots } from './fair-slots.ts';
export type { Frame, ThumbnailFormat } from './images/image-messages.ts';

interface PictureRequest {
  readonly path: string;
  /** The frames that the picture is fitted into, each a picture of its own. */
  readonly frames: readonly Frame[];
  readonly format: ThumbnailFormat;
  readonly scratchPath: string;
  readonly signal: AbortSignal;
}

export interface ThumbnailRequest extends PictureRequest {
  readonly mimeType: string;
  /** The PDF rendition of an office file. */
  readonly previewPath?: string | undefined;
  /** The page as a PPM that poppler drew, in the size of the largest frame; such a file is drawn from anew where there is none. */
  readonly picturePath?: string | undefined;
  /** The text of its first page, of which the picture of a text or an e-invoice is made; a text is read where it is not given. */
  readonly text?: string | undefined;
  /** Which page; the first one where nothing is said. */
  readonly page?: number;
}

type Pictures = readonly Uint8Array[] | undefined;

const LIMIT_MS = 20_000;
/** More than stands on a picture. */
const MAX_TEXT_CHARS = 20_000;

/**
 * Pictures of a page, one for each frame, or undefined when none can be made: an office file without its preview, an e-invoice without its text,
 * a damaged or encrypted file, a page that is not there, a program that is missing. The page is opened once, whatever it is; what the document
 * can break runs in processes of its own. Throws the signal's reason.
 */
export const makeThumbnails = async (maker: PictureMaker, request: ThumbnailRequest): Promise<Pictures> => {
  const { path, mimeType, previewPath, text, page = 1, signal } = request;
  const family = findKindByMimeType(mimeType)?.family;
  switch (family) {
    case 'image':
      return inScratch(request, async (scratchPath) =>
        drawPicture(maker, request, scratchPath, { path: await copyPicture(path, scratchPath), mimeType, page }),
      );
    case 'text':
      return page > 1 ? undefined : drawText(maker, request, text ?? (await readFirstPage(path, signal)));
    case 'einvoice':
      return page > 1 || text === undefined ? undefined : drawText(maker, request, text);
    case 'pdf':
      return inScratch(request, (scratchPath) => drawPage(maker, path, request, scratchPath));
    case 'office':
      return previewPath === undefined
        ? undefined
        : inScratch(request, (scratchPath) => drawPage(maker, previewPath, request, scratchPath));
    case undefined:
      return undefined;
  }
};

const drawText = (maker: PictureMaker, { frames, format, signal }: PictureRequest, text: string): Promise<Pictures> =>
  maker.drawText({ text: text.slice(0, MAX_TEXT_CHARS), frames, format }, signal);

/** What `makeThumbnails` made in the same format, in smaller frames; undefined for bytes that are no picture. */
export const scalePicture = (maker: PictureMaker, request: PictureRequest): Promise<Pictures> =>
  inScratch(request, async (scratchPath) => {
    const path = await copyPicture(request.path, scratchPath);
    return drawPicture(maker, request, scratchPath, { path, mimeType: `image/${request.format}` });
  });

const inScratch = async (request: PictureRequest, make: (scratchPath: string) => Promise<Pictures>): Promise<Pictures> => {
  await using scratch = await openScratch(request.scratchPath, 'thumbnail');
  return await make(scratch.path);
};

const drawPicture = async (
  maker: PictureMaker,
  { frames, format, signal }: PictureRequest,
  scratchPath: string,
  source: Pick<Extract<ImageRequest, { kind: 'thumbnails' }>, 'path' | 'mimeType' | 'page'>,
): Promise<Pictures> => {
  const targets = frames.map((frame, at) => ({ ...frame, outPath: join(scratchPath, `thumbnail-${at}`) }));
  const answer = await maker.ask({ kind: 'thumbnails', ...source, format, targets }, { timeoutMs: LIMIT_MS, signal });
  return answer.ok ? Promise.all(targets.map(({ outPath }) => readFile(outPath))) : undefined;
};

const drawPage = async (maker: PictureMaker, path: string, request: ThumbnailRequest, scratchPath: string): Promise<Pictures> => {
  const { page = 1, frames, signal, picturePath } = request;
  // a stored file is copied first; this one is nobody's but ours
  if (picturePath !== undefined) return drawPicture(maker, request, scratchPath, { path: picturePath, mimeType: PPM_MIME_TYPE });
  const poppler = await Poppler.open(path, scratchPath, maker.limits);
  const prefix = join(scratchPath, 'page');
  const pixels = Math.max(...frames.flatMap(({ width, height }) => [width, height]));
  const drawn = await poppler?.drawColour(page, pixels, prefix, { timeoutMs: LIMIT_MS, signal });
  if (drawn?.ok !== true) return undefined;
  return drawPicture(maker, request, scratchPath, { path: `${prefix}.ppm`, mimeType: PPM_MIME_TYPE });
};
