import { inflateRawSync } from 'node:zlib';
import type { ZipEntry } from './zip-directory.ts';

const LOCAL_HEADER_BYTES = 30;
const STORED = 0;

/** The text of one entry, or undefined when it is broken, or longer than `maxBytes` whatever the directory says. */
export const readZipText = (bytes: Buffer, { localOffset, packedBytes, method }: ZipEntry, maxBytes: number): string | undefined => {
  if (localOffset + LOCAL_HEADER_BYTES > bytes.length) return undefined;
  const start = localOffset + LOCAL_HEADER_BYTES + bytes.readUInt16LE(localOffset + 26) + bytes.readUInt16LE(localOffset + 28);
  const packed = bytes.subarray(start, start + packedBytes);
  if (method === STORED) return packed.length > maxBytes ? undefined : packed.toString('utf8');
  try {
    return inflateRawSync(packed, { maxOutputLength: maxBytes }).toString('utf8');
  } catch {
    return undefined; // not ours to judge: LibreOffice will have its own opinion
  }
};
