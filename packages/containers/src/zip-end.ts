import type { ByteSource } from './byte-source.ts';

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
