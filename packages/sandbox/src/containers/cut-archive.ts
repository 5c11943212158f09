import { type FileHandle, open } from 'node:fs/promises';

const OLE = 'd0cf11e0a1b11ae1';
const ZIP = ['504b0304', '504b0506']; // the second is an archive without entries

export type Container = 'ole' | 'zip';

/** The container whose first bytes these are. */
export const findContainer = (head: Uint8Array): Container | undefined => {
  const start = Buffer.from(head.subarray(0, 8)).toString('hex');
  if (start === OLE) return 'ole';
  return ZIP.some((signature) => start.startsWith(signature)) ? 'zip' : undefined;
};

const LOCAL_SIGNATURE = Buffer.from('504b0304', 'hex');
const HEADER_BYTES = 30;
const SCAN_BYTES = 256 * 1024;
const MAX_NAME_BYTES = 512;
const MAX_DATA_BYTES = 512;

export interface CutEntry {
  readonly name: string;
  /** The first bytes of its contents, as they are packed. */
  readonly data: Buffer;
}

/** The entries that begin in the first part of an archive without a directory, by their local headers. */
export const readCutArchive = async (source: ByteSource): Promise<readonly CutEntry[]> => {
  const start = await source.read(0, SCAN_BYTES);
  const entries: CutEntry[] = [];
  for (let at = start.indexOf(LOCAL_SIGNATURE); at >= 0 && at + HEADER_BYTES <= start.length; ) {
    const nameAt = at + HEADER_BYTES;
    const nameEnd = nameAt + Math.min(MAX_NAME_BYTES, start.readUInt16LE(at + 26));
    const dataAt = nameAt + start.readUInt16LE(at + 26) + start.readUInt16LE(at + 28);
    const dataEnd = dataAt + Math.min(MAX_DATA_BYTES, start.readUInt32LE(at + 18));
    entries.push({ name: start.toString('utf8', nameAt, nameEnd), data: start.subarray(dataAt, dataEnd) });
    // Behind the name, never inside it: each byte is looked at once.
    at = start.indexOf(LOCAL_SIGNATURE, nameEnd);
  }
  return entries;
};

/** A file that is read at a few places. */
export interface ByteSource extends AsyncDisposable {
  readonly sizeBytes: number;
  /** The bytes from `offset`, fewer where the file ends. The buffer may share memory with others: read it only. */
  read(offset: number, length: number): Promise<Buffer>;
}

/** Small reads that follow one another share one call to the system. Larger would cost those that jump about. */
const WINDOW_BYTES = 4 * 1024;
const EMPTY: Buffer = Buffer.alloc(0);

/** Over bytes in memory, or the file at a path. */
export const openByteSource = (content: Uint8Array | string): Promise<ByteSource> =>
  typeof content === 'string' ? openFile(content) : Promise.resolve(overBytes(content));

const overBytes = ({ buffer, byteOffset, byteLength }: Uint8Array): ByteSource => {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  return {
    sizeBytes: byteLength,
    read: async (offset, length) => bytes.subarray(offset, offset + length),
    [Symbol.asyncDispose]: async () => {},
  };
};

const openFile = async (path: string): Promise<ByteSource> => {
  const handle = await open(path, 'r');
  const { size } = await handle.stat();
  let window: { offset: number; bytes: Buffer } = { offset: 0, bytes: EMPTY };
  const read = async (offset: number, wanted: number): Promise<Buffer> => {
    if (offset >= size) return EMPTY; // before `offset` reaches the system, which refuses what a 64-bit field may hold
    const length = Math.min(wanted, size - offset);
    if (length > WINDOW_BYTES) return readAt(handle, offset, length);
    const start = offset - window.offset;
    if (start >= 0 && start + length <= window.bytes.length) return window.bytes.subarray(start, start + length);
    window = { offset, bytes: await readAt(handle, offset, Math.min(WINDOW_BYTES, size - offset)) };
    return window.bytes.subarray(0, length);
  };
  return { sizeBytes: size, read, [Symbol.asyncDispose]: () => handle.close() };
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
