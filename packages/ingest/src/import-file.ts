import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type AppError, codedError } from '@sheaf/contract';
import { retry } from '@sheaf/process';
import { FILE_MODE } from '@sheaf/process/machine';
import { describeSpan, inSpan } from '@sheaf/process/tracing';
import { documentKey, type TempArea, type TempFile, withStorageErrors } from '@sheaf/storage';
import { extensionOf, type FileKind, findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import {
  emptyFile,
  type IncomingFile,
  type IngestDeps,
  notEinvoice,
  type Refusal,
  tooLarge,
  typeCheckFailed,
  typeMismatch,
  typeNotAllowed,
  unknownType,
} from './incoming-file.ts';
import { cleanFilename, titleFor, toLedgerPath } from './note-file.ts';

/** The file changed while it was read: what was read is worth nothing, and nothing was recorded. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';
}

/** Someone removed the object, to which no row referred yet, between `put` and the transaction that records it. */
export class BytesVanished extends Error {
  override readonly name = 'BytesVanished';
}

/** A file whose bytes passed every check. */
export type Arrival<F extends IncomingFile = IncomingFile> = F & {
  readonly title: string;
  readonly mimeType: string;
  readonly received: ReceivedFile;
};

/** Where the bytes of an arrival were put. */
export interface StoredAt {
  readonly filePath: string;
  readonly key: string;
}

/** Writes down what became of a file, on one kind of route. */
export interface Recorder<F extends IncomingFile, R> {
  /** Only says what would become of the file: its bytes are not stored. */
  readonly isPreview?: true;
  /** Makes everything that is true from now on true at once. Throws BytesVanished. */
  arrival(deps: IngestDeps, arrival: Arrival<F>, stored: StoredAt): Promise<R>;
  refusal(deps: IngestDeps, file: F, refusal: Refusal, received: ReceivedFile | undefined): Promise<R>;
}

/** How often the bytes are stored anew because someone removed the object of a deleted document at that very moment. */
const MAX_STORE_ATTEMPTS = 3;

/** The way of every file: judged, received, judged by its contents, stored, recorded. Throws as `ingest` does. */
export const importFile = <F extends IncomingFile, R>(file: F, deps: IngestDeps, recorder: Recorder<F, R>): Promise<R> =>
  inSpan('ingest', { 'sheaf.route': file.route }, () => judgeAndStore(file, deps, recorder));

const judgeAndStore = async <F extends IncomingFile, R>(file: F, deps: IngestDeps, recorder: Recorder<F, R>): Promise<R> => {
  const filename = cleanFilename(file.filename);
  const kind = findKindByExtension(extensionOf(filename));
  const refusal = refuseName(file, filename, kind);
  const refuse = (why: Refusal, received?: ReceivedFile): Promise<R> =>
    recorder.refusal(deps, { ...file, ledgerPath: toLedgerPath(file.ledgerPath) }, why, received);
  if (kind === undefined || refusal !== undefined) return refuse(refusal ?? unknownType(filename, '', file.allowedExtensions));

  await deps.queue?.enter();
  await using destination = new Destination(deps.temp);
  const received = await inSpan('receive', {}, () => receive(file.body, destination, file));
  if (file.confirm !== undefined && !(await file.confirm())) throw new FileChanged(`${file.ledgerPath} changed while being read`);
  if (received === undefined) return await refuse(tooLarge(filename, file.maxBytes));
  const problem = await refuseContents(received, filename, kind, file, deps);
  if (problem !== undefined) return await refuse(problem, received);
  return await store(deps, await toArrival(file, filename, kind, received), recorder); // awaited here, or a temporary file would go too early
};

const toArrival = async <F extends IncomingFile>(
  file: F,
  filename: string,
  kind: FileKind,
  received: ReceivedFile,
): Promise<Arrival<F>> => {
  const options = { ...file, ...(await file.deferredOptions?.()) };
  const title = titleFor(options.title, filename);
  return { ...options, ledgerPath: toLedgerPath(file.ledgerPath), title, filename, mimeType: kind.mimeType, received };
};

const refuseName = ({ allowedExtensions }: IncomingFile, filename: string, kind: FileKind | undefined): Refusal | undefined => {
  const extension = extensionOf(filename);
  if (kind === undefined) return unknownType(filename, extension, allowedExtensions);
  return allowedExtensions.includes(extension) ? undefined : typeNotAllowed(filename, extension, allowedExtensions);
};

const refuseContents = async (
  { content, sizeBytes }: ReceivedFile,
  filename: string,
  kind: FileKind,
  { signal }: IncomingFile,
  { typeCheck }: IngestDeps,
): Promise<Refusal | undefined> => {
  if (sizeBytes === 0) return emptyFile(filename);
  const match = await typeCheck.match(content, kind, signal);
  if (match.isMatch) return undefined;
  if (match.notEinvoice === true) return notEinvoice(filename);
  return match.unknown === true
    ? typeCheckFailed(filename, extensionOf(filename))
    : typeMismatch(filename, extensionOf(filename), match.found);
};

const store = async <F extends IncomingFile, R>(deps: IngestDeps, arrival: Arrival<F>, recorder: Recorder<F, R>): Promise<R> => {
  const { content, sizeBytes, sha256 } = arrival.received;
  const key = documentKey(sha256);
  describeSpan({ 'sheaf.document.mime_type': arrival.mimeType, 'sheaf.document.bytes': sizeBytes });
  if (recorder.isPreview) return recorder.arrival(deps, arrival, { filePath: deps.storage.pathOf(key), key });
  const storeOnce = async (): Promise<R> => {
    arrival.signal?.throwIfAborted();
    const { path: filePath } = await inSpan('store', { 'sheaf.document.bytes': sizeBytes }, () => deps.storage.put(key, content));
    return await inSpan('record', {}, () => recorder.arrival(deps, arrival, { filePath, key }));
  };
  return retry(storeOnce, { attempts: MAX_STORE_ATTEMPTS, isPassing: (error) => error instanceof BytesVanished });
};

export interface ReceivedFile {
  /** The bytes where they are few, else the path of a temporary file. */
  readonly content: Buffer | string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** The sender broke off, or the file could not be read to its end. */
const incompleteFile = (cause: unknown): AppError => codedError('VALIDATION_ERROR', 'INCOMPLETE_FILE', {}, cause);

interface ReceiveOptions {
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Gathers `body` in `destination` and hashes it on the way. Undefined when there is more than `maxBytes`: the rest is then left
 * unread, for the caller to drain or to destroy. Throws INCOMPLETE_FILE when the body breaks.
 */
export const receive = async (
  body: Readable,
  destination: Destination,
  { maxBytes, signal }: ReceiveOptions,
): Promise<ReceivedFile | undefined> => {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of chunksOf(body)) {
    signal?.throwIfAborted();
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) return undefined;
    hash.update(chunk);
    await destination.add(chunk);
  }
  signal?.throwIfAborted();
  return { content: await destination.finish(), sizeBytes, sha256: hash.digest('hex') };
};

/** The chunks of `body`, which stays open when the reader stops early: a multipart parser would hang on a destroyed part. */
const chunksOf = async function* (body: Readable): AsyncIterable<Buffer> {
  // A body that broke before we looked at it emits nothing any more.
  if (body.errored !== null || (body.destroyed && !body.readableEnded)) throw incompleteFile(body.errored);
  const chunks = body.iterator({ destroyOnReturn: false });
  for (;;) {
    const next = await chunks.next().catch((error: unknown) => {
      throw incompleteFile(error);
    });
    if (next.done === true) return;
    yield Buffer.isBuffer(next.value) ? next.value : Buffer.from(next.value);
  }
};

/** Most files are smaller, and never touch the disk before they lie where they belong: half of the work of a small file. */
const MAX_IN_MEMORY_BYTES = 256 * 1024;

/** Where the bytes of one file gather: in memory while they are few, then in a temporary file that is gone at the end of the scope. */
export class Destination implements AsyncDisposable {
  readonly #area: TempArea;
  #chunks: Buffer[] = [];
  #sizeBytes = 0;
  #file: TempFile | undefined;
  #handle: FileHandle | undefined;

  constructor(area: TempArea) {
    this.#area = area;
  }

  /** Throws SERVICE_UNAVAILABLE where the temporary folder cannot be written. */
  async add(chunk: Buffer): Promise<void> {
    this.#sizeBytes += chunk.length;
    if (this.#handle !== undefined) return this.#write(chunk);
    this.#chunks.push(chunk);
    if (this.#sizeBytes > MAX_IN_MEMORY_BYTES) await this.#moveToDisk();
  }

  /** The bytes, or the path of the file that has them. */
  async finish(): Promise<Buffer | string> {
    await this.#close();
    return this.#file?.path ?? Buffer.concat(this.#chunks);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
    await this.#file?.[Symbol.asyncDispose]();
  }

  async #moveToDisk(): Promise<void> {
    const file = await this.#area.makeFile();
    this.#file = file;
    this.#handle = await withStorageErrors(this.#area.path, () => open(file.path, 'wx', FILE_MODE));
    const gathered = Buffer.concat(this.#chunks);
    this.#chunks = [];
    await this.#write(gathered);
  }

  async #write(bytes: Buffer): Promise<void> {
    await withStorageErrors(this.#area.path, async () => this.#handle?.writeFile(bytes));
  }

  async #close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}
