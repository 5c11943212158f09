import type { Config, FixedConfig } from '@sheaf/config';
import { nextNumbersBody } from '@sheaf/contract/documents';
import type { Database, Db } from '@sheaf/db';
import { nextNumbers } from '@sheaf/documents/unique-fields';
import type { PictureMaker } from '@sheaf/extraction/pictures';
import type { FairSlots, Frame, ThumbnailFormat } from '@sheaf/extraction/thumbnail';
import type { IngestDeps } from '@sheaf/ingest';
import type { CacheArea, Clock, Live, Logger, MemoryCache } from '@sheaf/process';
import { keepRendition } from '@sheaf/renditions';
import { coveringSize, type Storage, type ThumbnailSize, thumbnailKey, thumbnailVariant } from '@sheaf/storage';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { Cursors } from '../http/cursor.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import type { OcrLanguages } from '../queue/languages.ts';
import type { DocumentSignatures } from './document-signatures.ts';
import type { PageArranger } from './page-editing/page-arranger.ts';
import { drawRendition, type PicturedDocument, readRendition, scaleRendition } from './rendition.ts';
import type { SearchablePdfs } from './searchable-pdfs.ts';

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
