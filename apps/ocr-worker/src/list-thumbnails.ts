import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { listPages } from '@sheaf/documents/pages';
import type { Extractor } from '@sheaf/extraction';
import { makeThumbnails } from '@sheaf/extraction/thumbnail';
import { keepDerivedFiles } from '@sheaf/ingest';
import type { Logger } from '@sheaf/process';
import { type Storage, thumbnailKey, thumbnailVariant } from '@sheaf/storage';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';

/** What the web client shows in tiles and in lines. */
const SIZES_PX = [400, 200] as const;
const FORMAT = 'webp';
/** A page that takes longer is drawn when somebody looks at it. */
const LIMIT_MS = 20_000;

export interface DocumentFile {
  readonly path: string;
  /** The PDF rendition of an office document. */
  readonly previewPath: string | undefined;
  /** Its first page, drawn when it was opened. */
  readonly picturePath: string | undefined;
  /** The text of its first page, where it was read now. */
  readonly firstPage: string | undefined;
  readonly scratchPath: string;
}

export interface ThumbnailDeps {
  readonly db: Db;
  readonly storage: Storage;
  readonly extractor: Pick<Extractor, 'pictures'>;
  readonly log: Logger;
}

/** What the picture of a text or an e-invoice is made of; undefined where it is made of the file. */
const pictureText = async (db: Db, { id, mimeType }: Document, { firstPage }: DocumentFile): Promise<string | undefined> => {
  if (firstPage !== undefined || findKindByMimeType(mimeType)?.family !== 'einvoice') return firstPage;
  return (await listPages(db, id, { from: 1, to: 1 })).pages[0]?.content;
};

const keysOf = ({ sha256 }: Document): readonly string[] => SIZES_PX.map((size) => thumbnailKey(sha256, thumbnailVariant(size, FORMAT)));

const areStored = async (storage: Storage, keys: readonly string[]): Promise<boolean> => {
  for (const key of keys) if ((await storage.stat(key)) === undefined) return false;
  return true;
};

/** The longer side of the picture of its first page that the lists need; undefined where they have theirs. */
export const missingPictureSize = async (storage: Storage, document: Document): Promise<number | undefined> =>
  (await areStored(storage, keysOf(document))) ? undefined : Math.max(...SIZES_PX);

const drawAndKeep = async (document: Document, file: DocumentFile, deps: ThumbnailDeps, signal: AbortSignal): Promise<void> => {
  const { storage, extractor } = deps;
  const keys = keysOf(document);
  if (await areStored(storage, keys)) return;
  const pictures = await makeThumbnails(extractor.pictures, {
    ...file,
    mimeType: document.mimeType,
    text: await pictureText(deps.db, document, file),
    frames: SIZES_PX.map((size) => ({ width: size, height: size })),
    format: FORMAT,
    signal,
  });
  const files = (pictures ?? []).flatMap((picture, at) => (keys[at] === undefined ? [] : [{ key: keys[at], source: picture }]));
  await keepDerivedFiles(deps, document.sha256, files);
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
