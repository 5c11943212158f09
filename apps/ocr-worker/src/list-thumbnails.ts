import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { listPages } from '@sheaf/documents/pages';
import { makeThumbnail, type PictureLimits, scalePicture } from '@sheaf/extraction/thumbnail';
import type { Logger } from '@sheaf/process';
import { type Storage, thumbnailKey, thumbnailVariant } from '@sheaf/storage';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import { keepDerivedFile } from './derived-file.ts';

/** What the web client shows in tiles and in lines. */
const [TILE_PX, LINE_PX] = [400, 200] as const;
const FORMAT = 'webp';
/** A page that takes longer is drawn when somebody looks at it. */
const LIMIT_MS = 20_000;

interface DocumentFile {
  readonly path: string;
  /** The PDF rendition of an office document. */
  readonly previewPath: string | undefined;
  readonly scratchPath: string;
}

export interface ThumbnailDeps {
  readonly db: Db;
  readonly storage: Storage;
  /** Of pictures that are drawn. */
  readonly limits: PictureLimits;
  readonly log: Logger;
}

/** What the picture of an e-invoice is made of. */
const pictureText = async (db: Db, { id, mimeType }: Document): Promise<string | undefined> =>
  findKindByMimeType(mimeType)?.family === 'einvoice' ? (await listPages(db, id, { from: 1, to: 1 })).pages[0]?.content : undefined;

const drawAndKeep = async (document: Document, file: DocumentFile, deps: ThumbnailDeps, signal: AbortSignal): Promise<void> => {
  const { storage, limits } = deps;
  const [tileKey, lineKey] = [TILE_PX, LINE_PX].map((size) => thumbnailKey(document.sha256, thumbnailVariant(size, FORMAT))) as [
    string,
    string,
  ];
  if ((await storage.stat(tileKey)) !== undefined && (await storage.stat(lineKey)) !== undefined) return;
  const common = { format: FORMAT, scratchPath: file.scratchPath, limits, signal } as const;
  const text = await pictureText(deps.db, document);
  const tile = await makeThumbnail({ ...file, ...common, text, mimeType: document.mimeType, width: TILE_PX, height: TILE_PX });
  if (tile === undefined) return;
  await keepDerivedFile(deps, document.sha256, tileKey, tile);
  const path = join(file.scratchPath, 'tile');
  await writeFile(path, tile);
  const line = await scalePicture({ ...common, path, width: LINE_PX, height: LINE_PX });
  if (line !== undefined) await keepDerivedFile(deps, document.sha256, lineKey, line);
};

/**
 * Makes the pictures that lists show, where the api looks for them, so that nobody waits for them. Without them the document is read all
 * the same: the api draws what is missing.
 */
export const makeListThumbnails = async (
  document: Document,
  file: DocumentFile,
  deps: ThumbnailDeps,
  signal: AbortSignal,
): Promise<void> => {
  try {
    await drawAndKeep(document, file, deps, AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]));
  } catch (error) {
    if (!signal.aborted) deps.log.warn({ err: error }, 'thumbnails not made');
  }
};
