import { AppError } from '@sheaf/contract';
import type { ComponentHealth } from '@sheaf/contract/operations';
import type { ByteRange, OpenedObject, PutResult, Storage, StorageSource, StoredObject } from './storage.ts';

export interface FurtherStorage {
  readonly storage: Storage;
  /** Whether its state is of interest. */
  readonly isInUse: () => Promise<boolean>;
}

const isMissing = (error: unknown): boolean => error instanceof AppError && error.code === 'FILE_MISSING';
const isUnavailable = (error: unknown): boolean => error instanceof AppError && error.kind === 'SERVICE_UNAVAILABLE';

/**
 * One storage that is written to, and others that objects may still be in, or may already be in, while they are moved from one to
 * the other. An object that none of the reachable ones has is missing only when all could be asked.
 */
export class JoinedStorage implements Storage {
  readonly #main: Storage;
  readonly #further: readonly FurtherStorage[];

  constructor(main: Storage, further: readonly FurtherStorage[]) {
    this.#main = main;
    this.#further = further;
  }

  get place(): string {
    return this.#main.place;
  }

  pathOf(key: string): string {
    return this.#main.pathOf(key);
  }

  put(key: string, source: StorageSource): Promise<PutResult> {
    return this.#main.put(key, source);
  }

  /** In the one that the object would be read from, so that the row goes on to tell where it is; else in the one written to. */
  async replace(key: string, source: StorageSource): Promise<void> {
    for (const storage of this.#all()) {
      if ((await storage.stat(key)) !== undefined) return await storage.replace(key, source);
    }
    await this.#main.replace(key, source);
  }

  open(key: string, range?: ByteRange): Promise<OpenedObject> {
    return this.#first(key, (storage) => storage.open(key, range));
  }

  localPath(key: string, scratch: string): Promise<string> {
    return this.#first(key, (storage) => storage.localPath(key, scratch));
  }

  async stat(key: string): Promise<StoredObject | undefined> {
    return (await this.#statOnce(key)) ?? (this.#mayHaveMoved(key) ? this.#statOnce(key) : undefined);
  }

  async #statOnce(key: string): Promise<StoredObject | undefined> {
    let unavailable: unknown;
    for (const storage of this.#all()) {
      try {
        const found = await storage.stat(key);
        if (found !== undefined) return found;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        unavailable ??= error;
      }
    }
    if (unavailable !== undefined) throw unavailable;
    return undefined;
  }

  async delete(key: string): Promise<boolean> {
    let isDeleted = false;
    for (const storage of this.#all()) isDeleted = (await storage.delete(key)) || isDeleted;
    return isDeleted;
  }

  /** An object that is in two of them comes twice. */
  async *list(prefix: string): AsyncIterable<StoredObject> {
    for (const storage of this.#all()) yield* storage.list(prefix);
  }

  async check(): Promise<ComponentHealth> {
    const main = await this.#main.check();
    if (main.status !== 'healthy') return main;
    for (const { storage, isInUse } of this.#further) {
      if (!(await isInUse().catch(() => false))) continue; // who cannot be asked tells it themselves
      const health = await storage.check();
      if (health.status !== 'healthy') return { ...health, status: 'warning' };
    }
    return main;
  }

  async sweepLeftovers(before: Date): Promise<number> {
    let swept = 0;
    for (const storage of this.#all()) swept += await storage.sweepLeftovers(before);
    return swept;
  }

  async close(): Promise<void> {
    await Promise.all(this.#all().map((storage) => storage.close()));
  }

  #all(): Storage[] {
    return [this.#main, ...this.#further.map(({ storage }) => storage)];
  }

  /** What was asked for last may have gone to one that was asked before. Only an original is worth asking everybody once more. */
  #mayHaveMoved(key: string): boolean {
    return this.#further.length > 0 && contentHashOf(key) !== undefined;
  }

  async #first<T>(key: string, read: (storage: Storage) => Promise<T>): Promise<T> {
    try {
      return await this.#firstOnce(read);
    } catch (error) {
      if (!isMissing(error) || !this.#mayHaveMoved(key)) throw error;
    }
    return this.#firstOnce(read);
  }

  async #firstOnce<T>(read: (storage: Storage) => Promise<T>): Promise<T> {
    let missing: unknown;
    let unavailable: unknown;
    for (const storage of this.#all()) {
      try {
        return await read(storage);
      } catch (error) {
        if (isMissing(error)) missing ??= error;
        else if (isUnavailable(error)) unavailable ??= error;
        else throw error;
      }
    }
    throw unavailable ?? missing;
  }
}

/** The frames that stored thumbnails fit into are squares of these sides, in pixels. All other sizes are made of one of them and not stored. */
export const THUMBNAIL_SIZES = [200, 400, 800, 1_600, 2_000] as const;
export type ThumbnailSize = (typeof THUMBNAIL_SIZES)[number];

/** The smallest frame that covers one of `width` by `height`, up to 2,000 pixels. */
export const coveringSize = (width: number, height: number): ThumbnailSize =>
  THUMBNAIL_SIZES.find((size) => size >= Math.max(width, height)) ?? 2_000;

/** The part of the key of a thumbnail that names frame and format, and the page where it is not the first. */
export const thumbnailVariant = (size: ThumbnailSize, format: string, page = 1): string =>
  `${page === 1 ? '' : `p${page}-`}${size}x${size}.${format}`;

const VARIANT = /-(\d{1,4})x(\d{1,4})\.[a-z]{1,8}$/;

/** Whether `key` is a thumbnail in a frame that is stored no more. False for a name that is not ours. */
export const isRetiredThumbnail = (key: string): boolean => {
  const [, width, height] = (key.startsWith(THUMBNAILS_PREFIX) && VARIANT.exec(key)) || [];
  return width !== undefined && (width !== height || !THUMBNAIL_SIZES.some((size) => String(size) === width));
};

/** `ab/cd/<sha256>`: two levels of 256 folders keep every folder small. */
const fanOut = (sha256: string): string => {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error(`not a SHA-256 in hexadecimal: ${sha256}`);
  return `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;
};

export const DOCUMENTS_PREFIX = 'documents/';
export const PREVIEWS_PREFIX = 'previews/';
export const THUMBNAILS_PREFIX = 'thumbnails/';
export const SEARCHABLE_PREFIX = 'searchable/';
/** Files that were made from originals, and are made again where they are missing. */
export const DERIVED_PREFIXES = [PREVIEWS_PREFIX, THUMBNAILS_PREFIX, SEARCHABLE_PREFIX] as const;
/** Originals that no document refers to, kept a while in case the rows are what is wrong. */
export const ORPHANS_PREFIX = 'orphans/';

/** The original bytes. */
export const documentKey = (sha256: string): string => `${DOCUMENTS_PREFIX}${fanOut(sha256)}`;

export const orphanKey = (sha256: string): string => `${ORPHANS_PREFIX}${fanOut(sha256)}`;

/** The PDF rendition of an office document. */
export const previewKey = (sha256: string): string => `${PREVIEWS_PREFIX}${fanOut(sha256)}.pdf`;

/** A small picture; `variant` tells size and format, such as `400x400.webp`. */
export const thumbnailKey = (sha256: string, variant: string): string => `${THUMBNAILS_PREFIX}${fanOut(sha256)}-${variant}`;

/** The PDF with the recognised words; `words` is a hash of these. */
export const searchableKey = (sha256: string, words: string): string => `${SEARCHABLE_PREFIX}${fanOut(sha256)}-${words}.pdf`;

/** The SHA-256 of the document that a key belongs to; derived files carry the same one. Undefined for a foreign name. */
export const hashOfKey = (key: string): string | undefined => /\/([0-9a-f]{64})(?:[.-][^/]*)?$/.exec(key)?.[1];

/** The SHA-256 that the bytes under `key` must have. Undefined for derived files, whose keys carry the hash of their document. */
export const contentHashOf = (key: string): string | undefined =>
  key.startsWith(DOCUMENTS_PREFIX) || key.startsWith(ORPHANS_PREFIX) ? /\/([0-9a-f]{64})$/.exec(key)?.[1] : undefined;

const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** Whether `key` can name an object: plain segments, so nothing that leads out of the storage or to a hidden file. */
export const isKey = (key: string): boolean => key.length <= 512 && key.split('/').every((segment) => SEGMENT.test(segment));
