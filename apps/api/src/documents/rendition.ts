import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { FixedConfig } from '@sheaf/config';
import type { Db } from '@sheaf/db';
import type { LabelledDocument } from '@sheaf/documents';
import { listPages } from '@sheaf/documents/pages';
import type { PictureMaker } from '@sheaf/extraction/pictures';
import { type Frame, makeThumbnails, scalePicture, type ThumbnailFormat } from '@sheaf/extraction/thumbnail';
import { documentKey, ifThere, previewKey, type Storage, TempArea, type ThumbnailSize } from '@sheaf/storage';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';

/** What renditions are made with. */
interface Parts {
  readonly config: Pick<FixedConfig, 'storage'>;
  readonly db: Db;
  readonly storage: Storage;
  readonly pictures: PictureMaker;
}

/** What of a document decides about its pictures. */
export type PicturedDocument = Pick<LabelledDocument, 'id' | 'sha256' | 'mimeType'>;

/** Draws the picture from the stored file, the preview of an office document or the text of an e-invoice; undefined where there is none yet. */
export const drawRendition = async (
  {
    config: {
      storage: { tempPath },
    },
    db,
    storage,
    pictures,
  }: Parts,
  document: PicturedDocument,
  { size, page, format }: { readonly size: ThumbnailSize; readonly page: number; readonly format: ThumbnailFormat },
  signal: AbortSignal,
): Promise<Uint8Array | undefined> => {
  await using scratch = await new TempArea(tempPath).makeScratch('thumbnail');
  // An office document is drawn from its rendition alone: from a storage in the network its original need not be fetched.
  const family = findKindByMimeType(document.mimeType)?.family;
  const isOffice = family === 'office';
  const path = isOffice
    ? await ifThere(storage.localPath(previewKey(document.sha256), scratch.path))
    : await storage.localPath(documentKey(document.sha256), scratch.path);
  if (path === undefined) return undefined;
  const drawn = await makeThumbnails(pictures, {
    path,
    mimeType: document.mimeType,
    previewPath: isOffice ? path : undefined,
    text: family === 'einvoice' ? (await listPages(db, document.id, { from: 1, to: 1 })).pages[0]?.content : undefined,
    page,
    frames: [{ width: size, height: size }],
    format,
    scratchPath: scratch.path,
    signal,
  });
  return drawn?.[0];
};

/** Whole, as it is small: 2,000 by 2,000 pixels at most. */
export const readRendition = async (storage: Storage, key: string): Promise<Uint8Array | undefined> => {
  const kept = await ifThere(storage.open(key));
  return kept === undefined ? undefined : buffer(kept.stream);
};

/** Makes a picture fit into a smaller frame. */
export const scaleRendition = async (
  {
    config: {
      storage: { tempPath },
    },
    pictures,
  }: Pick<Parts, 'config' | 'pictures'>,
  rendition: Uint8Array,
  frame: Frame,
  format: ThumbnailFormat,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> => {
  await using scratch = await new TempArea(tempPath).makeScratch('thumbnail');
  const path = join(scratch.path, 'rendition');
  await writeFile(path, rendition);
  return (await scalePicture(pictures, { path, frames: [frame], format, scratchPath: scratch.path, signal }))?.[0];
};
