import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { withStorageErrors } from '../errors.ts';
import type { StorageSource } from '../storage.ts';
import type { TempArea } from '../temp-area.ts';

/** A part of what is sent. Its memory counts until the end of its scope. */
export interface Piece extends Disposable {
  readonly bytes: Buffer<ArrayBuffer>;
  /** From 1 on. */
  readonly number: number;
}

export interface Cut {
  readonly pieceBytes: number;
  /** What the whole must have; undefined where it is not known. */
  readonly sha256: string | undefined;
  readonly budget: ByteBudget;
}

/**
 * The pieces of `source`, read one after the other; an empty one is one empty piece. Throws before the last piece where the whole has
 * another hash: the file was changed, or spoiled on its own disk.
 */
export const piecesOf = async function* (source: SpooledSource, { pieceBytes, sha256, budget }: Cut): AsyncGenerator<Piece> {
  await using reader = await openReader(source.content);
  const hash = createHash('sha256');
  for (let start = 0, number = 1; number === 1 || start < source.sizeBytes; start += pieceBytes, number += 1) {
    const length = Math.min(pieceBytes, source.sizeBytes - start);
    using share = new DisposableStack();
    share.use(await budget.take(length));
    const bytes = await reader.read(start, length);
    if (sha256 !== undefined) hash.update(bytes);
    if (sha256 !== undefined && start + length === source.sizeBytes && hash.digest('hex') !== sha256) throw otherHash(sha256);
    const taken = share.move(); // the reader of the piece gives it back
    yield { bytes, number, [Symbol.dispose]: () => taken.dispose() };
  }
};

export const otherHash = (sha256: string): Error => new Error(`hash mismatch of the content to store for ${sha256}`);

interface Reader extends AsyncDisposable {
  read(start: number, length: number): Promise<Buffer<ArrayBuffer>>;
}

const openReader = async (content: string | Uint8Array): Promise<Reader> => {
  if (typeof content !== 'string') {
    const bytes = Buffer.from(content.buffer as ArrayBuffer, content.byteOffset, content.byteLength);
    return { read: async (start, length) => bytes.subarray(start, start + length), [Symbol.asyncDispose]: async () => {} };
  }
  const handle = await open(content, 'r');
  return {
    read: async (start, length) => {
      const bytes = Buffer.allocUnsafeSlow(length);
      const { bytesRead } = await handle.read(bytes, 0, length, start);
      if (bytesRead < length) throw new Error(`the file ${content} was truncated while being stored`);
      return bytes;
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
};

/**
 * Keeps what all transfers together hold in memory within a limit; the others wait, first come, first served. Not p-limit: it counts
 * tasks, and here one counts as its bytes.
 */
export class ByteBudget {
  #left: number;
  readonly #limitBytes: number;
  readonly #waiting: { readonly bytes: number; readonly go: () => void }[] = [];

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
    this.#left = limitBytes;
  }

  /** Waits until `bytes` more may be held. What it returns gives them back at the end of its scope. */
  async take(bytes: number): Promise<Disposable> {
    const counted = Math.min(bytes, this.#limitBytes); // what is larger than everything goes alone
    if (this.#waiting.length > 0 || counted > this.#left) {
      await new Promise<void>((go) => this.#waiting.push({ bytes: counted, go }));
    } else {
      this.#left -= counted;
    }
    return { [Symbol.dispose]: () => this.#refund(counted) };
  }

  #refund(bytes: number): void {
    this.#left += bytes;
    for (let next = this.#waiting[0]; next !== undefined && next.bytes <= this.#left; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#left -= next.bytes;
      next.go();
    }
  }
}

/** What is to be sent, of a known size, and as often as it takes. What was made for it is removed at the end of its scope. */
export interface SpooledSource extends AsyncDisposable {
  /** The path of a file, or bytes. */
  readonly content: string | Uint8Array;
  readonly sizeBytes: number;
}

/**
 * `source` as it is, or written to a file in `area` where it is a stream, which can be read only once. Rejects as the stream does;
 * SERVICE_UNAVAILABLE where the area is full or away.
 */
export const spool = async (source: StorageSource, area: TempArea): Promise<SpooledSource> => {
  if (source instanceof Readable) return await writeToFile(source, area);
  const sizeBytes = typeof source === 'string' ? (await stat(source)).size : source.length;
  return { content: source, sizeBytes, [Symbol.asyncDispose]: async () => {} };
};

const writeToFile = async (source: Readable, area: TempArea): Promise<SpooledSource> => {
  const file = await area.makeFile();
  try {
    return await withStorageErrors(area.path, async () => {
      await pipeline(source, createWriteStream(file.path, { flags: 'wx', mode: 0o600 }));
      const { size } = await stat(file.path);
      return { content: file.path, sizeBytes: size, [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]() };
    });
  } catch (error) {
    source.destroy(); // nobody reads it any more, also where the file could not be made
    await file[Symbol.asyncDispose]();
    throw error;
  }
};
