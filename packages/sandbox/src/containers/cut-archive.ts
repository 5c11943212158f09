import type { ByteSource } from './byte-source.ts';

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
