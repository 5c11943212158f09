import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Config, FixedConfig } from '@sheaf/config';
import { nextNumbersBody } from '@sheaf/contract/documents';
import type { Database, Db } from '@sheaf/db';
import type { LabelledDocument } from '@sheaf/documents';
import { listPages } from '@sheaf/documents/pages';
import { nextNumbers } from '@sheaf/documents/unique-fields';
import type { PictureMaker } from '@sheaf/extraction/pictures';
import { type FairSlots, type Frame, makeThumbnails, scalePicture, type ThumbnailFormat } from '@sheaf/extraction/thumbnail';
import type { IngestDeps } from '@sheaf/ingest';
import type { CacheArea, Clock, Live, Logger, MemoryCache } from '@sheaf/process';
import { keepRendition } from '@sheaf/renditions';
import {
  coveringSize,
  documentKey,
  ifThere,
  previewKey,
  type Storage,
  TempArea,
  type ThumbnailSize,
  thumbnailKey,
  thumbnailVariant,
} from '@sheaf/storage';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { Cursors } from '../http/list-route.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import type { OcrLanguages } from '../queue/routes.ts';
import type { PageArranger } from './page-editing/page-arranger.ts';
import type { DocumentSignatures, SearchablePdfs } from './searchable-pdfs.ts';

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

export const nextNumber = ({ database: { db } }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/archive-numbers/next',
    access: 'documents.update',
    summary: 'Get the number after the highest archive number of the documents that you may read',
    response: nextNumbersBody,
    handle: ({ principal }) => nextNumbers(db, principal),
  });

/** What the routes of documents use. */
export interface DocumentServices {
  readonly database: Database;
  readonly storage: Storage;
  readonly ingest: Omit<IngestDeps, 'settings'> & { readonly settings: Live<Config['ingest']> };
  readonly languages: OcrLanguages;
  readonly cursors: Cursors;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What the routes use besides that show the file of a document, or make another of it. */
export interface DocumentFileServices {
  readonly thumbnails: Thumbnails;
  readonly searchablePdfs: SearchablePdfs;
  readonly documentSignatures: DocumentSignatures;
  readonly pageArranger: PageArranger;
}

const PICTURES: CacheArea<Uint8Array | undefined> = { name: 'thumbnails', sizeOf: (picture) => picture?.length ?? 0 };

interface Wanted {
  readonly document: PicturedDocument;
  readonly page: number;
  readonly format: ThumbnailFormat;
  readonly principal: Principal;
}

interface ThumbnailParts {
  readonly config: Pick<FixedConfig, 'storage'>;
  readonly db: Db;
  readonly storage: Storage;
  readonly cache: MemoryCache;
  readonly pictures: PictureMaker;
  /** Pictures are drawn in these: as many at the same time as there are cores to use. */
  readonly drawing: FairSlots;
}

/** Small pictures of the pages of documents. */
export class Thumbnails {
  readonly #parts: ThumbnailParts;

  constructor(parts: ThumbnailParts) {
    this.#parts = parts;
  }

  /**
   * The picture in any size; undefined while there is nothing to draw it from. What is not one of the stored sizes is made anew each time:
   * there are millions of them.
   */
  async find(wanted: Wanted, frame: Frame, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const { drawing } = this.#parts;
    const size = coveringSize(frame.width, frame.height);
    const rendition = await this.#findRendition(wanted, size, signal);
    if (rendition === undefined || (frame.width === size && frame.height === size)) return rendition;
    return drawing.run(wanted.principal, signal, () => scaleRendition(this.#parts, rendition, frame, wanted.format, signal));
  }

  /** The picture in one of the stored sizes: from memory, from the storage, or drawn now and stored. */
  #findRendition({ document, page, format, principal }: Wanted, size: ThumbnailSize, signal: AbortSignal) {
    const { db, storage, cache, drawing } = this.#parts;
    const key = thumbnailKey(document.sha256, thumbnailVariant(size, format, page));
    // the key says nothing of who asks: that the caller may see the document was checked before
    return cache.get(
      PICTURES,
      key,
      async (making) => {
        const stored = await readRendition(storage, key);
        if (stored !== undefined) return stored;
        const draw = () => drawRendition(this.#parts, document, { size, page, format }, making);
        const drawn = await drawing.run(principal, making, draw);
        if (drawn !== undefined) await keepRendition({ db, storage }, document, key, drawn);
        return drawn;
      },
      signal,
    );
  }
}
