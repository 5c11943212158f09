import { type FileHandle, open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { constants, createInflateRaw, inflateRawSync } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, type ZipFile } from 'yauzl';
import { openArchiveReader } from './archive-reader.ts';
import { UnreadablePart } from './unreadable-part.ts';

/** Unpacked at once, without a stream: what documents mostly consist of. */
const SMALL_BYTES = 1024 * 1024;
const BLOCK_BYTES = 1024 * 1024;
/** Packed; enough to tell what a part is. */
const HEAD_BYTES = 1024;
const STORED = 0;
const DEFLATED = 8;

/** What a document and those inside of it share. */
export interface StripRun {
  /** What may still be unpacked. */
  readonly budget: { entries: number; bytes: number };
  readonly signal: AbortSignal;
}

export interface ZipPart {
  /** With `/` between folders. */
  readonly name: string;
  readonly entry: Entry;
  /** Where its packed bytes begin in the file. */
  readonly dataStart: number;
}

/** Reads a ZIP archive as its directory says. What turns out to be different throws UnreadablePart; an abort throws its reason. */
export class ZipSource implements AsyncDisposable {
  readonly parts: readonly ZipPart[];
  readonly #file: FileHandle;
  readonly #signal: AbortSignal;

  private constructor(file: FileHandle, parts: readonly ZipPart[], signal: AbortSignal) {
    this.#signal = signal;
    this.#file = file;
    this.parts = parts;
  }

  static async open(path: string, run: StripRun): Promise<ZipSource> {
    const file = await open(path);
    try {
      return new ZipSource(file, await readable(() => readDirectory(file, run.budget)), run.signal);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The packed bytes of a part. */
  async *packed({ name, entry, dataStart }: ZipPart): AsyncGenerator<Buffer> {
    for (let done = 0; done < entry.compressedSize; ) {
      this.#signal.throwIfAborted();
      const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, entry.compressedSize - done));
      const { bytesRead } = await this.#file.read(block, 0, block.length, dataStart + done);
      if (bytesRead === 0) throw new UnreadablePart(`${name}: cut off`);
      done += bytesRead;
      yield block.subarray(0, bytesRead);
    }
  }

  /** The beginning of the content of a part. */
  async head({ name, entry, dataStart }: ZipPart): Promise<Buffer> {
    this.#signal.throwIfAborted();
    const packed = Buffer.alloc(Math.min(HEAD_BYTES, entry.compressedSize));
    await this.#file.read(packed, 0, packed.length, dataStart);
    if (entry.compressionMethod === STORED || packed.length === 0) return packed;
    if (entry.compressionMethod !== DEFLATED) throw new UnreadablePart(`${name}: unknown compression`);
    // The beginning alone has no end to flush.
    return readable(() => inflateRawSync(packed, { finishFlush: constants.Z_SYNC_FLUSH }));
  }

  /** The content of a part. */
  async *content(part: ZipPart): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of this.#unpacked(part)) {
      this.#signal.throwIfAborted();
      bytes += chunk.length;
      if (bytes > part.entry.uncompressedSize) throw new UnreadablePart(`${part.name}: larger than it says`);
      yield chunk;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }

  async *#unpacked(part: ZipPart): AsyncGenerator<Buffer> {
    const { compressionMethod, compressedSize, uncompressedSize } = part.entry;
    if (compressionMethod === STORED) yield* this.packed(part);
    else if (compressionMethod !== DEFLATED) throw new UnreadablePart(`${part.name}: unknown compression`);
    else if (Math.max(compressedSize, uncompressedSize) > SMALL_BYTES) yield* inflate(this.packed(part), this.#signal);
    else if (compressedSize > 0) yield await inflateAtOnce(this.packed(part), uncompressedSize);
  }
}

const inflateAtOnce = async (packed: AsyncIterable<Buffer>, unpackedBytes: number): Promise<Buffer> => {
  const bytes = await buffer(packed);
  return readable(() => inflateRawSync(bytes, { maxOutputLength: Math.max(1, unpackedBytes) }));
};

async function* inflate(packed: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  const unpacking = createInflateRaw();
  // Its errors come out of the loop below as well.
  const feeding = pipeline(packed, unpacking).catch(() => {});
  try {
    yield* unpacking as AsyncIterable<Buffer>;
  } catch (error) {
    signal.throwIfAborted();
    throw asUnreadable(error);
  } finally {
    unpacking.destroy();
    await feeding;
  }
}

const readDirectory = async (file: FileHandle, budget: StripRun['budget']): Promise<readonly ZipPart[]> => {
  const reader = await openArchiveReader(file);
  // Names are not checked: nothing is written under them.
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false };
  return listParts(await fromRandomAccessReaderPromise(reader, reader.size, options), budget);
};

const listParts = async (archive: ZipFile, budget: StripRun['budget']): Promise<readonly ZipPart[]> => {
  budget.entries -= archive.entryCount;
  if (budget.entries < 0) throw new UnreadablePart('too many entries');
  const parts: ZipPart[] = [];
  let packed = 0;
  for await (const entry of archive.eachEntry()) {
    packed += entry.compressedSize;
    budget.bytes -= entry.uncompressedSize;
    // Entries that share their bytes would be read once each.
    if (packed > archive.fileSize || budget.bytes < 0) throw new UnreadablePart('entries larger than the archive');
    const { fileDataStart } = await archive.readLocalFileHeaderPromise(entry, { minimal: true });
    parts.push({ name: entry.fileNameRaw.toString('utf8').replaceAll('\\', '/'), entry, dataStart: fileDataStart });
  }
  return parts;
};

/** Errors of the libraries say that the archive is broken. */
const readable = async <T>(read: () => T | Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    throw asUnreadable(error);
  }
};

/** What yauzl and zlib find wrong; errors of the disk, and an abort, stay what they are. */
const asUnreadable = (error: unknown): unknown => {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const isOfArchive = code === '' || code.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE';
  return isOfArchive && !(error instanceof UnreadablePart) ? new UnreadablePart(message, { cause: error }) : error;
};
