/** The list of contents at the end of a zip file, without unpacking anything. */
export interface ZipEntry {
  readonly name: string;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  readonly isEncrypted: boolean;
  /** 0 is stored, 8 deflated. */
  readonly method: number;
  /** Where the entry begins. */
  readonly localOffset: number;
}

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
const ENCRYPTED_FLAG = 0x1;

export const isZip = (bytes: Buffer): boolean => bytes.length >= 4 && bytes.readUInt32LE(0) === 0x04034b50;

/** Undefined when the directory is missing or broken. Sizes of 4 GB and more (zip64) read as just that, which no document has. */
export const readZipDirectory = (bytes: Buffer): readonly ZipEntry[] | undefined => {
  const end = findEnd(bytes);
  if (end === undefined) return undefined;
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  const entries: ZipEntry[] = [];
  for (let i = 0; i < count; i += 1) {
    if (at + ENTRY_BYTES > bytes.length || bytes.readUInt32LE(at) !== ENTRY_SIGNATURE) return undefined;
    const nameBytes = bytes.readUInt16LE(at + 28);
    entries.push({
      name: bytes.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes),
      packedBytes: bytes.readUInt32LE(at + 20),
      unpackedBytes: bytes.readUInt32LE(at + 24),
      isEncrypted: (bytes.readUInt16LE(at + 8) & ENCRYPTED_FLAG) !== 0,
      method: bytes.readUInt16LE(at + 10),
      localOffset: bytes.readUInt32LE(at + 42),
    });
    at += ENTRY_BYTES + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
};

const findEnd = (bytes: Buffer): number | undefined => {
  const lowest = Math.max(0, bytes.length - END_BYTES - MAX_COMMENT_BYTES);
  for (let at = bytes.length - END_BYTES; at >= lowest; at -= 1) if (bytes.readUInt32LE(at) === END_SIGNATURE) return at;
  return undefined;
};
