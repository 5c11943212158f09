import { getFileNameLowLevel, parseExtraFields } from 'yauzl';
import type { ByteSource } from './cut-archive.ts';

const SIGNATURE = 0x02014b50;
const HEADER_BYTES = 46;
const ENCRYPTED = 0x1;
const STORED = 0;
const DEFLATED = 8;
/** Field of sizes that 32 bits cannot hold. */
const ZIP64 = 0x0001;
const IN_ZIP64 = 0xffffffff;
const CHUNK_BYTES = 1024 * 1024;

/** Where the content of an entry lies, and what it is to be. */
export interface ZipPlace {
  readonly offset: number;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  readonly crc32: number;
  /** Undefined for one that cannot be unpacked. */
  readonly method: 'stored' | 'deflated' | undefined;
}

/** A record of the directory. */
export interface ZipRecord {
  readonly name: string;
  readonly place: ZipPlace;
  /** Of the record itself. */
  readonly recordBytes: number;
}

const lengthOf = (header: Buffer): number => HEADER_BYTES + header.readUInt16LE(28) + header.readUInt16LE(30) + header.readUInt16LE(32);

const isHeader = (bytes: Buffer): boolean => bytes.length >= HEADER_BYTES && bytes.readUInt32LE(0) === SIGNATURE;

/** The name of a record of which all bytes are there. */
const nameIn = (record: Buffer, extra: ReturnType<typeof parseExtraFields>): string =>
  getFileNameLowLevel(record.readUInt16LE(8), record.subarray(HEADER_BYTES, HEADER_BYTES + record.readUInt16LE(28)), extra, true);

const extraOf = (record: Buffer): ReturnType<typeof parseExtraFields> => {
  const start = HEADER_BYTES + record.readUInt16LE(28);
  return parseExtraFields(record.subarray(start, start + record.readUInt16LE(30)));
};

/** The sizes and the offset, each from the record, or from its field for large numbers, which has only those that are needed, in this order. */
const numbersOf = (record: Buffer, extra: ReturnType<typeof parseExtraFields>): readonly [number, number, number] => {
  const large = extra.find(({ id }) => id === ZIP64)?.data;
  let at = 0;
  const read = (position: number): number => {
    const small = record.readUInt32LE(position);
    if (small !== IN_ZIP64 || large === undefined) return small;
    const value = Number(large.readBigUInt64LE(at)); // throws where the field is too short
    at += 8;
    if (!Number.isSafeInteger(value)) throw new RangeError('a size is no number');
    return value;
  };
  const [unpackedBytes, packedBytes, offset] = [read(24), read(20), read(42)];
  return [unpackedBytes, packedBytes, offset];
};

const placeIn = (record: Buffer, extra: ReturnType<typeof parseExtraFields>): ZipPlace => {
  const [unpackedBytes, packedBytes, offset] = numbersOf(record, extra);
  const method = record.readUInt16LE(10);
  const isEncrypted = (record.readUInt16LE(8) & ENCRYPTED) !== 0;
  const known = method === STORED ? 'stored' : method === DEFLATED ? 'deflated' : undefined;
  return { offset, packedBytes, unpackedBytes, crc32: record.readUInt32LE(16), method: isEncrypted ? undefined : known };
};

/** The record at the beginning of `bytes`; undefined where they have not all of it. Throws where it is none. */
const readRecord = (bytes: Buffer): ZipRecord | undefined => {
  if (bytes.length < HEADER_BYTES) return undefined;
  if (!isHeader(bytes)) throw new Error('there is no record of the directory');
  const recordBytes = lengthOf(bytes);
  if (bytes.length < recordBytes) return undefined;
  const record = bytes.subarray(0, recordBytes);
  const extra = extraOf(record);
  return { name: nameIn(record, extra), place: placeIn(record, extra), recordBytes };
};

/** The record at `offset` of a file. Throws where there is none. */
export const readRecordAt = async (source: ByteSource, offset: number): Promise<ZipRecord> => {
  const header = await source.read(offset, HEADER_BYTES);
  if (!isHeader(header)) throw new Error('there is no record of the directory');
  const record = readRecord(await source.read(offset, lengthOf(header)));
  if (record === undefined) throw new Error('a record of the directory is cut off');
  return record;
};

/** `count` records that lie behind one another from `start`, each with its offset. Throws where one of them is none. */
export async function* readDirectory(
  source: ByteSource,
  start: number,
  count: number,
): AsyncGenerator<ZipRecord & { readonly recordOffset: number }> {
  let offset = start;
  let bytes: Buffer = Buffer.alloc(0);
  for (let left = count; left > 0; left -= 1) {
    let record = readRecord(bytes);
    if (record === undefined) {
      bytes = await source.read(offset, CHUNK_BYTES);
      record = readRecord(bytes);
      if (record === undefined) throw new Error('the directory is cut off');
    }
    yield { ...record, recordOffset: offset };
    offset += record.recordBytes;
    bytes = bytes.subarray(record.recordBytes);
  }
}
