import { pipeline, type Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import type { ByteSource } from './byte-source.ts';
import { findArchiveEnd } from './zip-end.ts';
import { ZipReader } from './zip-reader.ts';

export interface ZipEntry {
  readonly name: string;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  readonly isEncrypted: boolean;
  /** Where its local header begins. */
  readonly offset: number;
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
    const original = this.#originals.get(entry);
    if (original === undefined || ![STORED, DEFLATED].includes(original.compressionMethod)) return 'damaged';
    if (this.#workLeft <= 0) return 'too_large';
    try {
      const packed = await this.#file.openReadStreamPromise(original, { decodeFileData: false });
      const pieces = original.compressionMethod === STORED ? packed : inflated(packed);
      return await this.#pass(pieces, entry, receive);
    } catch {
      return 'damaged';
    } finally {
      this.#workLeft -= Math.min(entry.packedBytes, this.#file.fileSize);
    }
  }

  async #pass(pieces: Readable, { unpackedBytes }: ZipEntry, receive: (piece: Buffer) => boolean): Promise<Unpacked> {
    let length = 0;
    for await (const piece of pieces as AsyncIterable<Buffer>) {
      length += piece.length;
      this.#workLeft -= piece.length;
      if (length > unpackedBytes) return 'damaged';
      if (this.#workLeft < 0) return 'too_large';
      if (!receive(piece)) return 'stopped';
    }
    return length === unpackedBytes ? 'whole' : 'damaged';
  }
}

/** Both streams end with the one that is read, whichever way that is left. */
const inflated = (packed: Readable): Readable => pipeline(packed, createInflateRaw({ chunkSize: 64 * 1024 }), () => {});
