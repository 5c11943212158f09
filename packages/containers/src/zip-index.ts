import { Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel } from 'yauzl';
import type { ByteSource } from './byte-source.ts';
import { findArchiveEnd, UnreadableEntry } from './zip-archive.ts';
import { ZipReader } from './zip-reader.ts';

export interface ZipIndexLimits {
  readonly maxEntries: number;
  /** Of all names, with the fields and comments beside them. */
  readonly maxDirectoryBytes: number;
}

const LOCAL_HEADER_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;
const CHUNK_BYTES = 256 * 1024;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 0x1;

/** What is kept of an entry: few bytes, as there may be hundreds of thousands. */
interface Place {
  readonly offset: number;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  readonly crc32: number;
  /** Undefined for one that cannot be unpacked. */
  readonly method: typeof STORED | typeof DEFLATED | undefined;
}

const placeOf = (entry: Entry): Place => {
  const isKnown = entry.compressionMethod === STORED || entry.compressionMethod === DEFLATED;
  const isEncrypted = (entry.generalPurposeBitFlag & ENCRYPTED) !== 0;
  return {
    offset: entry.relativeOffsetOfLocalHeader,
    packedBytes: entry.compressedSize,
    unpackedBytes: entry.uncompressedSize,
    crc32: entry.crc32,
    method: isKnown && !isEncrypted ? (entry.compressionMethod as typeof STORED | typeof DEFLATED) : undefined,
  };
};

export type OpenedZipIndex =
  | { readonly ok: true; readonly index: ZipIndex }
  | { readonly ok: false; readonly reason: 'damaged' | 'too_many_entries' };

/**
 * Reads the directory of a ZIP archive of any size once, for access to its entries by name. `source` has to stay open as long as
 * entries are read.
 */
export const openZipIndex = async (source: ByteSource, limits: ZipIndexLimits): Promise<OpenedZipIndex> => {
  const end = await findArchiveEnd(source);
  if (end === undefined) return { ok: false, reason: 'damaged' };
  try {
    // names are decoded here: yauzl would refuse the whole archive for one that no file could have
    const file = await fromRandomAccessReaderPromise(new ZipReader(source), end, { decodeStrings: false, autoClose: false });
    if (file.entryCount > limits.maxEntries) return { ok: false, reason: 'too_many_entries' };
    const places = new Map<string, Place | 'ambiguous'>();
    let directoryBytes = 0;
    for await (const entry of file.eachEntry()) {
      directoryBytes += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
      if (directoryBytes > limits.maxDirectoryBytes) return { ok: false, reason: 'too_many_entries' };
      const name = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true);
      places.set(name, places.has(name) ? 'ambiguous' : placeOf(entry));
    }
    return { ok: true, index: new ZipIndex(source, places) };
  } catch {
    return { ok: false, reason: 'damaged' }; // whatever yauzl has to say against it
  }
};

/** The entries of an archive by name. Names are those of the archive, not judged: they may lead anywhere. */
export class ZipIndex {
  readonly #source: ByteSource;
  readonly #places: ReadonlyMap<string, Place | 'ambiguous'>;

  constructor(source: ByteSource, places: ReadonlyMap<string, Place | 'ambiguous'>) {
    this.#source = source;
    this.#places = places;
  }

  names(): IterableIterator<string> {
    return this.#places.keys();
  }

  /**
   * The content of an entry, of the size that the archive declares; undefined where no entry has the name, or several. The stream
   * fails with UnreadableEntry where the entry is damaged, encrypted, packed in an unknown way, or longer or shorter than declared.
   */
  open(name: string): { readonly stream: Readable; readonly sizeBytes: number } | undefined {
    const place = this.#places.get(name);
    if (place === undefined || place === 'ambiguous') return undefined;
    return { sizeBytes: place.unpackedBytes, stream: Readable.from(this.#contents(name, place), { objectMode: false }) };
  }

  async *#contents(name: string, place: Place): AsyncGenerator<Buffer> {
    let [length, sum] = [0, 0];
    for await (const piece of unpacked(name, place, this.#packed(name, place))) {
      length += piece.length;
      if (length > place.unpackedBytes) throw new UnreadableEntry(name, 'damaged');
      sum = crc32(piece, sum);
      yield piece;
    }
    if (length !== place.unpackedBytes || sum !== place.crc32) throw new UnreadableEntry(name, 'damaged');
  }

  async *#packed(name: string, { offset, packedBytes }: Place): AsyncGenerator<Buffer> {
    const header = await this.#source.read(offset, LOCAL_HEADER_BYTES);
    if (header.length < LOCAL_HEADER_BYTES || header.readUInt32LE(0) !== LOCAL_SIGNATURE) throw new UnreadableEntry(name, 'damaged');
    const start = offset + LOCAL_HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
    for (let at = start; at < start + packedBytes; ) {
      const chunk = await this.#source.read(at, Math.min(CHUNK_BYTES, start + packedBytes - at));
      if (chunk.length === 0) throw new UnreadableEntry(name, 'damaged');
      at += chunk.length;
      yield chunk;
    }
  }
}

async function* unpacked(name: string, { method }: Place, packed: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (method === undefined) throw new UnreadableEntry(name, 'damaged');
  if (method === STORED) {
    yield* packed;
    return;
  }
  const inflating = createInflateRaw({ chunkSize: 64 * 1024 });
  // an error of the source becomes one of the stream that is read, and both end with it
  const feeding = Readable.from(packed, { objectMode: false });
  feeding.once('error', (error) => inflating.destroy(error));
  try {
    yield* feeding.pipe(inflating) as AsyncIterable<Buffer>;
  } catch (error) {
    throw isOfZlib(error) ? new UnreadableEntry(name, 'damaged', error) : error;
  } finally {
    feeding.destroy();
    inflating.destroy();
  }
}

/** Errors of the disk are no fault of the archive. */
const isOfZlib = (error: unknown): boolean => ((error as NodeJS.ErrnoException).code ?? '').startsWith('Z_');
