import { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import { SourceError } from '../source-driver.ts';

const CHUNK_BYTES = 256 * 1024;

const changed = (): SourceError => new SourceError('changed', 'The file changed while being read. The next sync imports it.');

/** An open file as a stream of exactly the bytes it is to have; closes it. Fails with SourceError changed for more or fewer. */
export class FileBody extends Readable {
  readonly #handle: FileHandle;
  readonly #sizeBytes: number;
  readonly #atEnd: () => Promise<void>;
  #position = 0;

  /** `atEnd` is asked when all was read and the file is still open. */
  constructor(handle: FileHandle, sizeBytes: number, atEnd: () => Promise<void>) {
    super({ highWaterMark: CHUNK_BYTES });
    this.#handle = handle;
    this.#sizeBytes = sizeBytes;
    this.#atEnd = atEnd;
    this.on('error', () => {}); // who gives up before reading leaves the error to nobody; readers still get it
  }

  override _read(): void {
    this.#next().then(
      (chunk) => this.push(chunk),
      (error: unknown) => this.destroy(error as Error),
    );
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    callbackify(() => this.#handle.close())((closing) => done(error ?? closing));
  }

  /** Null at the end. Asks for one byte more than there should be, to learn of a file that grows. */
  async #next(): Promise<Buffer | null> {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, this.#sizeBytes - this.#position + 1));
    const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, this.#position);
    this.#position += bytesRead;
    if (this.#position > this.#sizeBytes || (bytesRead === 0 && this.#position < this.#sizeBytes)) throw changed();
    if (bytesRead > 0) return buffer.subarray(0, bytesRead);
    await this.#atEnd();
    return null;
  }
}
