import { type FileHandle, open } from 'node:fs/promises';

/** A file that is looked into at a few places. */
export interface ByteSource extends AsyncDisposable {
  readonly sizeBytes: number;
  /** The bytes from `offset`, fewer where the file ends. */
  read(offset: number, length: number): Promise<Buffer>;
}

/** Over bytes in memory, or the file at a path. */
export const openByteSource = (content: Buffer | string): Promise<ByteSource> =>
  typeof content === 'string' ? openFile(content) : Promise.resolve(overBytes(content));

const overBytes = (bytes: Buffer): ByteSource => ({
  sizeBytes: bytes.length,
  read: async (offset, length) => bytes.subarray(offset, offset + length),
  [Symbol.asyncDispose]: async () => {},
});

const openFile = async (path: string): Promise<ByteSource> => {
  const handle = await open(path, 'r');
  const { size } = await handle.stat();
  return { sizeBytes: size, read: (offset, length) => readAt(handle, offset, length), [Symbol.asyncDispose]: () => handle.close() };
};

const readAt = async (handle: FileHandle, offset: number, length: number): Promise<Buffer> => {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
};
