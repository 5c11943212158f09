import { AppError } from '@sheaf/contract';
import type { ComponentHealth } from '@sheaf/contract/operations';
import { contentHashOf } from './keys.ts';
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
      if (!(await isInUse().catch(() => false))) continue; // who cannot be asked tells it himself
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
