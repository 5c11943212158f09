import { Readable } from 'node:stream';
import type { BlockBlobClient } from '@azure/storage-blob';
import { reasonedError } from '@sheaf/contract';
import type { ComponentHealth } from '@sheaf/contract/operations';
import { uuidv7 } from '@sheaf/process';
import { fileDamaged } from '../errors.ts';
import { ifThere } from '../if-there.ts';
import { contentHashOf, isKey } from '../keys.ts';
import { ByteBudget } from '../remote/byte-budget.ts';
import { download } from '../remote/download.ts';
import { HealthProbe } from '../remote/health-probe.ts';
import { PATIENCE, type Patience, withRetries } from '../remote/patience.ts';
import { type SpooledSource, spool } from '../remote/spool.ts';
import { verifiedStream } from '../remote/verified-stream.ts';
import type { ByteRange, OpenedObject, PutResult, Storage, StorageSource, StoredObject } from '../storage.ts';
import type { AzureStorageSettings } from '../storage-settings.ts';
import { TempArea } from '../temp-area.ts';
import { type AzureClient, openAzureClient } from './azure-client.ts';
import { type Asked, isAbsent, isConflict, isTransient, toAzureError } from './azure-errors.ts';
import { PIECE_BYTES, upload } from './azure-upload.ts';

/** Hidden, so that no probe is ever taken for an object. */
const PROBES = '.sheaf-probe/';
const NAMES_A_PAGE = 5_000;
/** What all uploads of a process together hold in memory. */
const HELD_BYTES = 64 * 1024 * 1024;

/** The documents in a container of Azure Blob Storage. Throws where the connection string cannot be understood. */
export const openAzureStorage = (settings: AzureStorageSettings, patience: Patience = PATIENCE): Storage =>
  new AzureStorage(settings, patience);

type Question = Pick<Asked, 'action' | 'key'> & { readonly sentBytes?: number };

class AzureStorage implements Storage {
  readonly place: string;
  readonly #client: AzureClient;
  readonly #patience: Patience;
  readonly #temp: TempArea;
  readonly #budget = new ByteBudget(HELD_BYTES);
  readonly #probe = new HealthProbe({ whole: () => this.#lookWholly(), brief: () => this.#lookBriefly() });

  constructor(settings: AzureStorageSettings, patience: Patience) {
    this.place = `azure://${settings.container}`;
    this.#client = openAzureClient(settings);
    this.#patience = patience;
    this.#temp = new TempArea(settings.tempPath);
  }

  pathOf(key: string): string {
    if (!isKey(key)) throw new Error(`not a storage key: ${JSON.stringify(key)}`);
    return `${this.place}/${key}`;
  }

  async put(key: string, source: StorageSource): Promise<PutResult> {
    const path = this.pathOf(key);
    await using spooled = await spool(source, this.#temp);
    // A small object is sent at once, as most are new; of a large one it is cheaper to ask first.
    if (spooled.sizeBytes > PIECE_BYTES && (await this.#refresh(key, spooled.sizeBytes))) return { path, isNew: false };
    if (await this.#create(key, spooled)) return { path, isNew: true };
    if (await this.#refresh(key, spooled.sizeBytes)) return { path, isNew: false };
    await this.#write(key, spooled, false);
    return { path, isNew: true };
  }

  async replace(key: string, source: StorageSource): Promise<void> {
    this.pathOf(key);
    await using spooled = await spool(source, this.#temp);
    await this.#write(key, spooled, false);
  }

  async open(key: string, range?: ByteRange): Promise<OpenedObject> {
    const blob = this.#blob(key);
    const [start, count] = range === undefined ? [0, undefined] : [range.start, range.end - range.start + 1];
    const answer = await this.#ask({ action: 'read', key }, (abortSignal) =>
      blob.download(start, count, { abortSignal, maxRetryRequests: 0 }),
    );
    const { readableStreamBody: body, contentLength = 0, contentRange } = answer;
    if (!(body instanceof Readable)) throw new Error('the service returned an empty response');
    const sizeBytes = range === undefined ? contentLength : Number(/\/(\d+)$/.exec(contentRange ?? '')?.[1]);
    if (range !== undefined && !contentRange?.startsWith(`bytes ${start}-`)) {
      body.destroy();
      throw reasonedError('SERVICE_UNAVAILABLE', 'storage_ranges_ignored', { storage: this.place });
    }
    if (start > 0 && start >= sizeBytes) {
      body.destroy();
      throw fileDamaged(key);
    }
    const stream = verifiedStream(body, {
      key,
      place: this.place,
      sizeBytes: range === undefined ? sizeBytes : Math.min(range.end + 1, sizeBytes) - start,
      sha256: range === undefined ? contentHashOf(key) : undefined,
      idleMs: this.#patience.idleMs,
      toError: (error) => this.#toBodyError(error),
    });
    return { stream, sizeBytes };
  }

  localPath(key: string, scratch: string): Promise<string> {
    return download(this, key, scratch);
  }

  async stat(key: string): Promise<StoredObject | undefined> {
    const blob = this.#blob(key);
    const found = await ifThere(this.#ask({ action: 'read', key }, (abortSignal) => blob.getProperties({ abortSignal })));
    return found && { key, sizeBytes: found.contentLength ?? 0, modifiedAt: found.lastModified ?? new Date(0) };
  }

  delete(key: string): Promise<boolean> {
    return this.#remove(this.#blob(key), key);
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    for await (const object of this.#listAll(prefix)) if (isKey(object.key)) yield object;
  }

  /** Objects can be created, read and deleted. */
  check(): Promise<ComponentHealth> {
    return this.#probe.check();
  }

  /** Pieces of uploads that were not finished are forgotten by the service itself, after a week; probes are not. */
  async sweepLeftovers(before: Date): Promise<number> {
    let swept = 0;
    for await (const { key, modifiedAt } of this.#listAll(PROBES))
      if (modifiedAt < before && (await this.#remove(this.#client.container.getBlockBlobClient(key), key))) swept += 1;
    return swept;
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  #blob(key: string): BlockBlobClient {
    this.pathOf(key); // refuses what is no key
    return this.#client.container.getBlockBlobClient(key);
  }

  /** Whether it is there now by this call: false where there is an object already. */
  async #create(key: string, source: SpooledSource): Promise<boolean> {
    try {
      await this.#write(key, source, true);
      return true;
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  }

  #write(key: string, source: SpooledSource, onlyIfAbsent: boolean): Promise<void> {
    return upload({
      blob: this.#blob(key),
      source,
      sha256: contentHashOf(key),
      onlyIfAbsent,
      budget: this.#budget,
      ask: (sentBytes, attempt) => this.#ask({ action: 'create', sentBytes }, attempt),
    });
  }

  /** Makes an object of this size fresh again. False where there is none. */
  async #refresh(key: string, sizeBytes: number): Promise<boolean> {
    if ((await this.stat(key))?.sizeBytes !== sizeBytes) return false;
    const fresh = this.#ask({ action: 'create', key }, (abortSignal) => this.#blob(key).setMetadata({}, { abortSignal }));
    return (await ifThere(fresh)) !== undefined; // it may be deleted at this moment
  }

  #remove(blob: BlockBlobClient, key: string): Promise<boolean> {
    return this.#ask({ action: 'delete', key }, async (abortSignal) => {
      try {
        await blob.delete({ abortSignal, deleteSnapshots: 'include' });
        return true;
      } catch (error) {
        if (isAbsent(error)) return false;
        throw error;
      }
    });
  }

  /** Page by page, so that a page that fails is asked for again and nothing comes twice. */
  async *#listAll(prefix: string): AsyncIterable<StoredObject> {
    let continuationToken: string | undefined;
    do {
      const from = continuationToken === undefined ? {} : { continuationToken };
      const page = await this.#ask({ action: 'list' }, async (abortSignal) => {
        const pages = this.#client.container.listBlobsFlat({ prefix, abortSignal }).byPage({ ...from, maxPageSize: NAMES_A_PAGE });
        return (await pages.next()).value;
      });
      for (const { name, properties } of page?.segment.blobItems ?? [])
        yield { key: name, sizeBytes: properties.contentLength ?? 0, modifiedAt: properties.lastModified };
      continuationToken = page?.continuationToken;
    } while (continuationToken !== undefined && continuationToken !== '');
  }

  async #lookWholly(): Promise<void> {
    const name = `${PROBES}${uuidv7()}`;
    const blob = this.#client.container.getBlockBlobClient(name);
    const bytes = Buffer.from('probe');
    await this.#ask({ action: 'create' }, (abortSignal) => blob.upload(bytes, bytes.length, { abortSignal }));
    await this.#ask({ action: 'read' }, (abortSignal) => blob.getProperties({ abortSignal }));
    await this.#ask({ action: 'list' }, (abortSignal) =>
      this.#client.container.listBlobsFlat({ prefix: name, abortSignal }).byPage().next(),
    );
    await this.#remove(blob, name);
  }

  async #lookBriefly(): Promise<void> {
    await this.#ask({ action: 'read' }, async (abortSignal) => {
      const blob = this.#client.container.getBlockBlobClient(`${PROBES}absent`);
      await blob.getProperties({ abortSignal }).catch((error: unknown) => {
        if (!isAbsent(error)) throw error;
      });
    });
  }

  async #ask<T>({ sentBytes = 0, ...asked }: Question, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await withRetries({ patience: this.#patience, sentBytes, isTransient }, attempt);
    } catch (error) {
      if (isConflict(error)) throw error;
      throw this.#toError(error, asked);
    }
  }

  #toError(error: unknown, asked: Pick<Asked, 'action' | 'key'>): Error {
    return toAzureError(error, { ...asked, container: this.#client.container.containerName, host: this.#client.host });
  }

  /** A body that breaks has no status and no code of the service. */
  #toBodyError(error: unknown): Error {
    return reasonedError('SERVICE_UNAVAILABLE', 'storage_transfer_closed', { storage: this.place }, error);
  }
}
