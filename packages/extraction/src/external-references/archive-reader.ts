import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import { RandomAccessReader } from 'yauzl';
import { UnreadablePart } from './unreadable-part.ts';

const END_SIGNATURE = Buffer.from('PK\u0005\u0006');
const END_BYTES = 22;
const COMMENT_LENGTH_AT = 20;
const MAX_COMMENT_BYTES = 65_535;

/** The archive in `file` without what follows its directory: a comment, or bytes that a transfer has added or cut. */
export const openArchiveReader = async (file: FileHandle): Promise<ArchiveReader> => {
  const { size } = await file.stat();
  const tail = Buffer.alloc(Math.min(size, END_BYTES + MAX_COMMENT_BYTES));
  await file.read(tail, 0, tail.length, size - tail.length);
  const end = tail.lastIndexOf(END_SIGNATURE, tail.length - END_BYTES);
  if (end < 0) throw new UnreadablePart('no directory');
  return new ArchiveReader(file, size - tail.length + end + END_BYTES);
};

/** What yauzl reads instead of the file. */
export class ArchiveReader extends RandomAccessReader {
  /** Bytes of the archive, up to the end of its directory. */
  readonly size: number;
  readonly #file: FileHandle;

  constructor(file: FileHandle, size: number) {
    super();
    this.#file = file;
    this.size = size;
  }

  override read(buffer: Buffer, offset: number, length: number, position: number, callback: (error: Error | null) => void): void {
    callbackify(() => this.#readAt(buffer, offset, length, position))(callback);
  }

  override _readStreamForRange(): Readable {
    throw new Error('parts are read by their position');
  }

  override close(callback: (error: Error | null) => void): void {
    callback(null); // the file is not ours
  }

  async #readAt(buffer: Buffer, offset: number, length: number, position: number): Promise<void> {
    const { bytesRead } = await this.#file.read(buffer, offset, length, position);
    if (bytesRead < length) throw new UnreadablePart('cut off');
    this.#dropComment(buffer, offset, length, position);
  }

  #dropComment(buffer: Buffer, offset: number, length: number, position: number): void {
    for (let at = this.size - END_BYTES + COMMENT_LENGTH_AT; at < this.size; at += 1)
      if (at >= position && at < position + length) buffer[offset + at - position] = 0;
  }
}
