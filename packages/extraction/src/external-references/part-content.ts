import { constants, gunzipSync } from 'node:zlib';
import { looksLikeXml } from './xml-encoding.ts';

const RTF = /^\s*\{\\rtf/;
const MAX_HEAD_BYTES = 4_096;

export const isZipArchive = (head: Buffer): boolean => head.length >= 4 && head.readUInt32LE(0) === 0x04034b50;
export const isRtf = (head: Buffer): boolean => RTF.test(head.toString('latin1', 0, 64));

/** Whether a part is a document itself, such as the sheet behind a chart. */
export const isNestedDocument = (head: Buffer): boolean => isZipArchive(head) || isRtf(head);

/** Whether a part is gzip with XML in it: a compressed SVG drawing. `head` is its beginning. */
export const isGzippedXml = (head: Buffer): boolean => {
  if (head[0] !== 0x1f || head[1] !== 0x8b) return false;
  try {
    // The beginning alone has no end to flush.
    return looksLikeXml(gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_HEAD_BYTES }));
  } catch {
    return true; // what it is cannot be told
  }
};
