import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { ByteBudget } from './byte-budget.ts';
import type { SpooledSource } from './spool.ts';

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
