import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Readable } from 'node:stream';
import { type BlockBlobClient, ContainerClient, isRestError, type RestError, type StoragePipelineOptions } from '@azure/storage-blob';
import { reasonedError } from '@sheaf/contract';
import type { ComponentHealth } from '@sheaf/contract/operations';
import { uuidv7 } from '@sheaf/process';
import { fileDamaged, fileMissing, ifThere } from '../errors.ts';
import { contentHashOf, isKey } from '../joined-storage.ts';
import { download } from '../remote/download.ts';
import { connectionReason, HealthProbe, isCertificateCode, NoAnswer, PATIENCE, type Patience, withRetries } from '../remote/patience.ts';
import { ByteBudget, type SpooledSource, spool } from '../remote/pieces.ts';
import { verifiedStream } from '../remote/verified-stream.ts';
import type { AzureStorageSettings, ByteRange, OpenedObject, PutResult, Storage, StorageSource, StoredObject } from '../storage.ts';
import { TempArea } from '../temp-area.ts';
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

/** Whether an object was asked for that does not exist. */

interface AzureClient {
  readonly container: ContainerClient;
  readonly host: string;
  readonly close: () => void;
}

/** More would be more than the service serves one client; requests beyond wait. */
const CONNECTIONS = { keepAlive: true, maxSockets: 128, maxFreeSockets: 16 } as const;

/**
 * A client of the one container. It asks once and follows nowhere: when to try again is decided in one place for all storages, and
 * the credentials are for this host. A proxy that the environment names for other programs is not used, as for S3. Throws where
 * the connection string cannot be understood.
 */
const openAzureClient = ({ connectionString, container }: AzureStorageSettings): AzureClient => {
  const url = new URL(makeContainer(connectionString.reveal(), container, {}).url);
  const agent = url.protocol === 'https:' ? new HttpsAgent(CONNECTIONS) : new HttpAgent(CONNECTIONS);
  const options = {
    agent,
    retryOptions: { maxTries: 1 },
    redirectOptions: { maxRetries: 0 },
  };
  return { container: makeContainer(connectionString.reveal(), container, options), host: url.host, close: () => agent.destroy() };
};

const makeContainer = (connectionString: string, container: string, options: StoragePipelineOptions): ContainerClient => {
  try {
    return new ContainerClient(connectionString, container, options);
  } catch (error) {
    // The text of the library names the part that is missing, and nothing of the secret.
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`AZURE_STORAGE_CONNECTION_STRING is invalid (${reason}). Copy it again from the Azure portal.`, { cause: error });
  }
};

/** What was asked for, as the message of an error names it. */
interface Asked {
  /** Undefined where it is the container that is asked. */
  readonly key?: string | undefined;
  readonly action: 'create' | 'read' | 'list' | 'delete';
  readonly container: string;
  readonly host: string;
}

const STRING = 'AZURE_STORAGE_CONNECTION_STRING';
const TRANSIENT_STATUS = new Set([408, 429, 500, 502, 503, 504]);

/** The service's own name of the error, also of an answer without a body. */
const azureCode = (error: unknown): string => (isRestError(error) ? codeOf(error) : '');

const codeOf = (error: RestError): string => error.response?.headers.get('x-ms-error-code') ?? error.code ?? '';

/** Whether the next try may go better: overload, a lost connection, half an answer, bytes that were spoiled on their way. */
const isTransient = (error: unknown): boolean => {
  if (!isRestError(error)) return false;
  if (error.code === 'PARSE_ERROR' || codeOf(error) === 'Md5Mismatch') return true;
  return error.statusCode === undefined ? !isCertificateCode(error.code ?? '') : TRANSIENT_STATUS.has(error.statusCode);
};

/** The object was not there, and the container was: the service says so by name, and whoever else answers 404 does not. */
const isAbsent = (error: unknown): error is RestError => azureCode(error) === 'BlobNotFound';

/** The object was there although it should not be. */
const isConflict = (error: unknown): boolean => ['BlobAlreadyExists', 'ConditionNotMet'].includes(azureCode(error));

/** Any error of the service as one that may leave the storage: FILE_MISSING, FILE_DAMAGED, SERVICE_UNAVAILABLE with its reason. Others stay. */
const toAzureError = (error: unknown, asked: Asked): Error => {
  if (asked.key !== undefined && isAbsent(error)) return fileMissing(asked.key, causeOf(error));
  // it ends before the range
  if (asked.key !== undefined && isRestError(error) && error.statusCode === 416) return fileDamaged(asked.key, causeOf(error));
  const failure = failureOf(error);
  if (failure === undefined) return error instanceof Error ? error : new Error(String(error));
  const details = {
    storage: `azure://${asked.container}`,
    host: asked.host,
    action: asked.action,
    error: failure.text,
    setting: STRING,
    location_setting: 'AZURE_STORAGE_CONTAINER',
    credentials_setting: STRING,
  };
  return reasonedError('SERVICE_UNAVAILABLE', failure.reason, details, isRestError(error) ? causeOf(error) : error);
};

/** Why the service did not do what it was asked for, with what it called that; undefined for a mistake of our own. */
const failureOf = (error: unknown) => {
  if (error instanceof NoAnswer) return { reason: 'storage_unreachable', text: error.message } as const;
  // what the library says of an answer without a length or a tag
  if (error instanceof RangeError) return { reason: 'storage_invalid_response', text: '' } as const;
  if (!isRestError(error)) return undefined;
  const code = codeOf(error);
  const { statusCode: status } = error;
  if (status === undefined) return { reason: connectionReason(code), text: code } as const;
  return { reason: answerReason(code, status), text: `${status} ${code}`.trimEnd() } as const;
};

const answerReason = (code: string, status: number) => {
  if (code === 'ContainerNotFound') return 'storage_not_found';
  if (status === 401 || status === 403) return refusalReason(code);
  if (status >= 300 && status < 400) return 'storage_redirected';
  return TRANSIENT_STATUS.has(status) ? 'storage_server_error' : 'storage_request_failed';
};

const PERMISSION =
  /^(AuthorizationPermission|AuthorizationResourceType|AuthorizationService|InsufficientAccountPermissions|UnauthorizedBlob)/;

const refusalReason = (code: string) => {
  if (PERMISSION.test(code)) return 'storage_access_denied';
  if (code === 'AccountIsDisabled') return 'storage_account_disabled';
  return code.startsWith('Authorization') ? 'storage_firewall' : 'storage_credentials_rejected';
};

/** The error itself carries the request with its signature; a log must not. */
const causeOf = (error: RestError): Error => {
  const firstLine = error.message.split('\n', 1)[0] ?? '';
  return new Error([error.statusCode, codeOf(error), firstLine].filter((part) => part !== undefined && part !== '').join(' '));
};
