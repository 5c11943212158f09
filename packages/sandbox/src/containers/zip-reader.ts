import { Readable } from 'node:stream';
import { RandomAccessReader } from 'yauzl';
import type { ByteSource } from './byte-source.ts';

type ReadCallback = (error: Error | null, bytesRead?: number) => void;

const CHUNK_BYTES = 64 * 1024;

/** What yauzl reads from. Answers always come in a later turn, so that no archive makes the stack grow. */
export class ZipReader extends RandomAccessReader {
  readonly #source: ByteSource;

  constructor(source: ByteSource) {
    super();
    this.#source = source;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(chunksOf(this.#source, start, end), { objectMode: false });
  }

  override read(buffer: Buffer, offset: number, length: number, position: number, callback: ReadCallback): void {
    void this.#answer(position, length, callback, buffer.subarray(offset));
  }

  async #answer(position: number, length: number, callback: ReadCallback, into: Buffer): Promise<void> {
    const bytes = await this.#source
      .read(position, length)
      .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
    if (bytes instanceof Error) callback(bytes);
    else callback(null, bytes.copy(into));
  }
}

async function* chunksOf(source: ByteSource, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += CHUNK_BYTES) {
    const chunk = await source.read(at, Math.min(CHUNK_BYTES, end - at));
    if (chunk.length === 0) return;
    yield chunk;
  }
}
