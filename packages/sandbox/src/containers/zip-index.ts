import { randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { fromRandomAccessReaderPromise } from 'yauzl';
import type { ByteSource } from './cut-archive.ts';
import { findArchiveEnd, UnreadableEntry, ZipReader } from './zip-archive.ts';
import { readDirectory, readRecordAt, type ZipPlace } from './zip-directory.ts';

export interface ZipIndexLimits {
  readonly maxEntries: number;
  /** Of all names, with the fields and comments beside them; at most 256 MB. */
  readonly maxDirectoryBytes: number;
}

const LOCAL_HEADER_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;
const CHUNK_BYTES = 256 * 1024;
/** A key holds the offset of a record in the directory, and above it as much of the hash of its name as a number has room for. */
const OFFSET_RANGE = 2 ** 28;
const HASH_RANGE = 2 ** 25;
/** Records whose names have the same hash by chance are few. */
const MAX_SAME_HASH = 64;

/** A hash that nobody can foresee who makes an archive. */
const hashOf = (name: string, seed: number): number => {
  let hash = seed;
  for (let at = 0; at < name.length; at += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  return (hash >>> 0) % HASH_RANGE;
};

/** Where the directory of an archive lies. */
interface DirectoryPlace {
  readonly start: number;
  readonly count: number;
}

export type OpenedZipIndex =
  | { readonly ok: true; readonly index: ZipIndex }
  | { readonly ok: false; readonly reason: 'damaged' | 'too_many_entries' };

/** yauzl knows the forms that the end of an archive has. */
const findDirectory = async (source: ByteSource, end: number): Promise<DirectoryPlace> => {
  const file = await fromRandomAccessReaderPromise(new ZipReader(source), end, { decodeStrings: false, autoClose: false });
  // a number, whatever its type says: where it would read the first entry
  return { start: Number(file.readEntryCursor), count: file.entryCount };
};

/**
 * Reads the directory of a ZIP archive of any size once, for access to its entries by name. In memory are eight bytes for each entry: the
 * directory itself is read again where an entry is opened. `source` has to stay open as long as entries are read.
 */
export const openZipIndex = async (source: ByteSource, limits: ZipIndexLimits): Promise<OpenedZipIndex> => {
  const end = await findArchiveEnd(source);
  if (end === undefined) return { ok: false, reason: 'damaged' };
  try {
    const directory = await findDirectory(source, end);
    if (directory.count > limits.maxEntries) return { ok: false, reason: 'too_many_entries' };
    const seed = randomInt(2 ** 32);
    const keys = new Float64Array(directory.count);
    let filled = 0;
    for await (const { name, recordOffset, recordBytes } of readDirectory(source, directory.start, directory.count)) {
      const offset = recordOffset - directory.start;
      if (offset + recordBytes > Math.min(OFFSET_RANGE, limits.maxDirectoryBytes)) return { ok: false, reason: 'too_many_entries' };
      keys[filled] = hashOf(name, seed) * OFFSET_RANGE + offset;
      filled += 1;
    }
    return { ok: true, index: new ZipIndex(source, directory, { seed, keys: keys.sort() }) };
  } catch {
    return { ok: false, reason: 'damaged' }; // whatever is wrong with it
  }
};

/** The keys of all entries in ascending order. */
interface HashedNames {
  readonly seed: number;
  readonly keys: Float64Array;
}

/** The entries of an archive by name. Names are those of the archive, not judged: they may lead anywhere. */
export class ZipIndex {
  readonly #source: ByteSource;
  readonly #directory: DirectoryPlace;
  readonly #names: HashedNames;

  constructor(source: ByteSource, directory: DirectoryPlace, names: HashedNames) {
    this.#source = source;
    this.#directory = directory;
    this.#names = names;
  }

  async *names(): AsyncGenerator<string> {
    for await (const { name } of readDirectory(this.#source, this.#directory.start, this.#directory.count)) yield name;
  }

  /**
   * The content of an entry, of the size that the archive declares; undefined where no entry has the name, or several. The stream
   * fails with UnreadableEntry where the entry is damaged, encrypted, packed in an unknown way, or longer or shorter than declared.
   */
  async open(name: string): Promise<{ readonly stream: Readable; readonly sizeBytes: number } | undefined> {
    const place = await this.#find(name);
    if (place === undefined) return undefined;
    return { sizeBytes: place.unpackedBytes, stream: Readable.from(this.#contents(name, place), { objectMode: false }) };
  }

  /** The place of the only entry of this name. */
  async #find(name: string): Promise<ZipPlace | undefined> {
    const { seed, keys } = this.#names;
    const lowest = hashOf(name, seed) * OFFSET_RANGE;
    let found: ZipPlace | undefined;
    let tried = 0;
    for (let at = firstAtLeast(keys, lowest); at < keys.length; at += 1) {
      const offset = (keys[at] ?? 0) - lowest;
      if (offset >= OFFSET_RANGE) break;
      tried += 1;
      if (tried > MAX_SAME_HASH) return undefined;
      const record = await readRecordAt(this.#source, this.#directory.start + offset);
      if (record.name !== name) continue;
      if (found !== undefined) return undefined;
      found = record.place;
    }
    return found;
  }

  async *#contents(name: string, place: ZipPlace): AsyncGenerator<Buffer> {
    let [length, sum] = [0, 0];
    for await (const piece of unpacked(name, place, this.#packed(name, place))) {
      length += piece.length;
      if (length > place.unpackedBytes) throw new UnreadableEntry(name, 'damaged');
      sum = crc32(piece, sum);
      yield piece;
    }
    if (length !== place.unpackedBytes || sum !== place.crc32) throw new UnreadableEntry(name, 'damaged');
  }

  async *#packed(name: string, { offset, packedBytes }: ZipPlace): AsyncGenerator<Buffer> {
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

async function* unpacked(name: string, { method }: ZipPlace, packed: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (method === undefined) throw new UnreadableEntry(name, 'damaged');
  if (method === 'stored') {
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

/** Where the first key stands that is not below `lowest`. */
const firstAtLeast = (keys: Float64Array, lowest: number): number => {
  let [from, to] = [0, keys.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((keys[middle] ?? 0) < lowest) from = middle + 1;
    else to = middle;
  }
  return from;
};
