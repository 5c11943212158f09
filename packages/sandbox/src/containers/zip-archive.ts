import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createInflateRaw, inflateRawSync } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel, RandomAccessReader, type ZipFile } from 'yauzl';
import type { ByteSource } from './cut-archive.ts';

const END_SIGNATURE = Buffer.from('504b0506', 'hex');
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;

/** Where the archive ends: behind its end record and comment. Programs that append something to a file leave it readable so. */
export const findArchiveEnd = async (source: ByteSource): Promise<number | undefined> => {
  const tailBytes = Math.min(source.sizeBytes, END_BYTES + MAX_COMMENT_BYTES);
  const tailAt = source.sizeBytes - tailBytes;
  const tail = await source.read(tailAt, tailBytes);
  const at = tail.lastIndexOf(END_SIGNATURE);
  if (at === -1 || at + END_BYTES > tail.length) return undefined;
  return Math.min(source.sizeBytes, tailAt + at + END_BYTES + tail.readUInt16LE(at + END_BYTES - 2));
};

export interface ZipEntry {
  readonly name: string;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  readonly isEncrypted: boolean;
  /** Where its local header begins. */
  readonly offset: number;
  /** As the archive has it. */
  readonly nameBytes: Buffer;
  readonly flags: number;
  /** 0 is stored, 8 deflated. */
  readonly method: number;
  readonly crc32: number;
}

/** Thrown while the contents of an entry are read: it is broken, or more than may be read. */
export class UnreadableEntry extends Error {
  readonly reason: 'damaged' | 'too_large';

  constructor(name: string, reason: 'damaged' | 'too_large', cause?: unknown) {
    super(`${name}: ${reason}`, { cause });
    this.reason = reason;
  }
}

export interface ZipLimits {
  readonly maxEntries: number;
  /** Bytes that may be read and produced for all entries together, those that turn out to be damaged included. */
  readonly maxWorkBytes: number;
}

export type OpenedZip =
  | { readonly ok: true; readonly archive: ZipArchive }
  | { readonly ok: false; readonly reason: 'damaged' | 'too_many_entries' };

/** `stopped`: the receiver wanted no more. */
export type Unpacked = 'whole' | 'damaged' | 'too_large' | 'stopped';

/** Far more than the names of a document's parts take. */
const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;
const LOCAL_HEADER_BYTES = 30;
/** Unpacked at once, without a stream: what documents mostly consist of. */
const SMALL_BYTES = 1024 * 1024;
const STORED = 0;
const DEFLATED = 8;

/** Reads the directory of the archive in `source`, which has to stay open as long as entries are unpacked. */
export const openZip = async (source: ByteSource, limits: ZipLimits): Promise<OpenedZip> => {
  const end = await findArchiveEnd(source);
  if (end === undefined) return { ok: false, reason: 'damaged' };
  try {
    // Names are decoded here: yauzl would refuse the whole archive for one that no file could have.
    const file = await fromRandomAccessReaderPromise(new ZipReader(source), end, { decodeStrings: false, autoClose: false });
    if (file.entryCount > limits.maxEntries) return { ok: false, reason: 'too_many_entries' };
    const entries: [ZipEntry, Entry][] = [];
    let directoryBytes = 0;
    for await (const entry of file.eachEntry()) {
      directoryBytes += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
      if (directoryBytes > MAX_DIRECTORY_BYTES) return { ok: false, reason: 'too_many_entries' };
      entries.push([toZipEntry(entry), entry]);
    }
    return { ok: true, archive: new ZipArchive(file, entries, limits.maxWorkBytes) };
  } catch {
    return { ok: false, reason: 'damaged' }; // whatever yauzl has to say against it
  }
};

const toZipEntry = (entry: Entry): ZipEntry => ({
  name: getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true),
  packedBytes: entry.compressedSize,
  unpackedBytes: entry.uncompressedSize,
  isEncrypted: entry.isEncrypted(),
  offset: entry.relativeOffsetOfLocalHeader,
  nameBytes: entry.fileNameRaw,
  flags: entry.generalPurposeBitFlag,
  method: entry.compressionMethod,
  crc32: entry.crc32,
});

/** The entries of an archive, unpacked within one budget of work. */
export class ZipArchive {
  readonly entries: readonly ZipEntry[];
  readonly #file: ZipFile;
  readonly #originals: ReadonlyMap<ZipEntry, Entry>;
  #workLeft: number;

  constructor(file: ZipFile, entries: readonly [ZipEntry, Entry][], maxWorkBytes: number) {
    this.#file = file;
    this.entries = entries.map(([entry]) => entry);
    this.#originals = new Map(entries);
    this.#workLeft = maxWorkBytes;
  }

  /** Whether two entries share bytes of the file: each would be unpacked anew, so a small file could stand for any amount. */
  get hasSharedBytes(): boolean {
    let end = 0;
    for (const { offset, packedBytes } of this.entries.toSorted((a, b) => a.offset - b.offset)) {
      if (offset < end) return true;
      end = offset + LOCAL_HEADER_BYTES + packedBytes;
    }
    return false;
  }

  /** Hands the contents of `entry` to `receive` piece by piece, until it returns false. */
  async unpack(entry: ZipEntry, receive: (piece: Buffer) => boolean): Promise<Unpacked> {
    try {
      for await (const piece of this.contents(entry)) if (!receive(piece)) return 'stopped';
      return 'whole';
    } catch (error) {
      if (error instanceof UnreadableEntry) return error.reason;
      throw error;
    }
  }

  /** The contents of `entry`, unpacked. Throws UnreadableEntry. */
  async *contents(entry: ZipEntry): AsyncGenerator<Buffer> {
    let length = 0;
    for await (const piece of this.#read(entry, ({ method }) => unpackedBy(method, entry))) {
      length += piece.length;
      this.#spend(entry, piece.length);
      if (length > entry.unpackedBytes) throw new UnreadableEntry(entry.name, 'damaged');
      yield piece;
    }
    if (length !== entry.unpackedBytes) throw new UnreadableEntry(entry.name, 'damaged');
  }

  /** The bytes of `entry` as they lie in the archive. Throws UnreadableEntry. */
  packed(entry: ZipEntry): AsyncGenerator<Buffer> {
    return this.#read(entry, () => (bytes) => bytes);
  }

  async *#read(entry: ZipEntry, decoderOf: (entry: ZipEntry) => Decoder | undefined): AsyncGenerator<Buffer> {
    const original = this.#originals.get(entry);
    const decode = decoderOf(entry);
    if (original === undefined || decode === undefined) throw new UnreadableEntry(entry.name, 'damaged');
    this.#spend(entry, Math.min(entry.packedBytes, this.#file.fileSize));
    try {
      yield* decode(await this.#file.openReadStreamPromise(original, { decodeFileData: false }));
    } catch (error) {
      throw isOfArchive(error) ? new UnreadableEntry(entry.name, 'damaged', error) : error;
    }
  }

  #spend({ name }: ZipEntry, bytes: number): void {
    this.#workLeft -= bytes;
    if (this.#workLeft < 0) throw new UnreadableEntry(name, 'too_large');
  }
}

/** What yauzl and zlib find wrong; errors of the disk are no fault of the archive. */
const isOfArchive = (error: unknown): boolean => {
  const { code = '' } = error as NodeJS.ErrnoException;
  return code === '' || code.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE';
};

type Decoder = (packed: Readable) => AsyncIterable<Buffer>;

const unpackedBy = (method: number, { packedBytes, unpackedBytes }: ZipEntry): Decoder | undefined => {
  if (method === STORED) return (packed) => packed;
  if (method !== DEFLATED) return undefined;
  return Math.max(packedBytes, unpackedBytes) > SMALL_BYTES ? inflated : (packed) => inflatedAtOnce(packed, unpackedBytes);
};

async function* inflatedAtOnce(packed: Readable, unpackedBytes: number): AsyncGenerator<Buffer> {
  yield inflateRawSync(await buffer(packed), { maxOutputLength: Math.max(1, unpackedBytes) });
}

/** Both streams end with the one that is read, whichever way that is left. */
const inflated = (packed: Readable): Readable => pipeline(packed, createInflateRaw({ chunkSize: 64 * 1024 }), () => {});

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
