import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import { ImageHost, type PictureLimits } from './images/image-host.ts';
import type { ImageRequest, ThumbnailFormat } from './images/image-messages.ts';
import { Poppler } from './pdf/poppler.ts';
import { copyPicture, openScratch } from './scratch.ts';
import { readFirstPage } from './text/read-text.ts';

export { FairSlots } from './fair-slots.ts';
export type { PictureLimits } from './images/image-host.ts';
export type { ThumbnailFormat } from './images/image-messages.ts';

export interface ThumbnailRequest {
  readonly path: string;
  readonly mimeType: string;
  /** The PDF rendition of an office file. */
  readonly previewPath?: string | undefined;
  /** The text of its first page, of which the picture of an e-invoice is made. */
  readonly text?: string | undefined;
  /** Which page; the first one where nothing is said. */
  readonly page?: number;
  /** The frame the picture is fitted into. */
  readonly width: number;
  readonly height: number;
  readonly format: ThumbnailFormat;
  readonly scratchPath: string;
  readonly limits: PictureLimits;
  readonly signal: AbortSignal;
}

const LIMIT_MS = 20_000;
/** More than stands on a picture. */
const MAX_TEXT_CHARS = 20_000;

/**
 * A picture of a page, or undefined when none can be made: an office file without its preview, an e-invoice without its text, a damaged or encrypted
 * file, a page that is not there, a program that is missing. What the document can break runs in processes of its own. Throws the signal's reason.
 */
export const makeThumbnail = async (request: ThumbnailRequest): Promise<Buffer | undefined> => {
  await using scratch = await openScratch(request.scratchPath, 'thumbnail');
  const outPath = join(scratch.path, 'thumbnail');
  const source = await findSource(request, scratch.path);
  return source === undefined ? undefined : await drawSource(source, request, outPath);
};

/** What `makeThumbnail` made in the same format, in a smaller frame; undefined for bytes that are no picture. */
export const scalePicture = async (request: Omit<ThumbnailRequest, 'mimeType' | 'previewPath' | 'page'>): Promise<Buffer | undefined> => {
  await using scratch = await openScratch(request.scratchPath, 'thumbnail');
  return await drawSource(
    { kind: 'thumbnail', path: await copyPicture(request.path, scratch.path), mimeType: `image/${request.format}` },
    request,
    join(scratch.path, 'thumbnail'),
  );
};

const drawSource = async (
  source: Source,
  { width, height, format, limits, signal }: Omit<ThumbnailRequest, 'mimeType'>,
  outPath: string,
): Promise<Buffer | undefined> => {
  const images = new ImageHost(dirname(outPath), limits);
  try {
    const answer = await images.ask({ ...source, outPath, width, height, format }, { timeoutMs: LIMIT_MS, signal });
    return answer.ok ? await readFile(outPath) : undefined;
  } finally {
    await images.close();
  }
};

type Source =
  | Pick<Extract<ImageRequest, { kind: 'thumbnail' }>, 'kind' | 'path' | 'mimeType' | 'page'>
  | Pick<Extract<ImageRequest, { kind: 'text_thumbnail' }>, 'kind' | 'text'>;

const findSource = async (request: ThumbnailRequest, scratchPath: string): Promise<Source | undefined> => {
  const { path, mimeType, previewPath, text, page = 1, signal } = request;
  const family = findKindByMimeType(mimeType)?.family;
  switch (family) {
    case 'image':
      return { kind: 'thumbnail', path: await copyPicture(path, scratchPath), mimeType, page };
    case 'text':
      return page > 1 ? undefined : { kind: 'text_thumbnail', text: await readFirstPage(path, signal) };
    case 'einvoice':
      return page > 1 || text === undefined ? undefined : { kind: 'text_thumbnail', text: text.slice(0, MAX_TEXT_CHARS) };
    case 'pdf':
      return drawPage(path, request, scratchPath);
    case 'office':
      return previewPath === undefined ? undefined : drawPage(previewPath, request, scratchPath);
    case undefined:
      return undefined;
  }
};

const drawPage = async (
  path: string,
  { page = 1, width, height, limits, signal }: ThumbnailRequest,
  scratchPath: string,
): Promise<Source | undefined> => {
  const poppler = await Poppler.open(path, scratchPath, limits);
  const prefix = join(scratchPath, 'page');
  const drawn = await poppler?.drawColour(page, Math.max(width, height), prefix, { timeoutMs: LIMIT_MS, signal });
  return drawn?.ok === true ? { kind: 'thumbnail', path: `${prefix}.png`, mimeType: 'image/png' } : undefined;
};
