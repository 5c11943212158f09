import { type Container, findContainer } from '@sheaf/sandbox/containers';
import type { FileKind } from '@sheaf/vocabulary/file-kinds';

/**
 * Whether the bytes are what the name says; `found` says in words what they are instead, where that is known. `unknown`: they
 * could not be looked at within the limits of time and memory. `notEinvoice`: they are text, but no e-invoice.
 */
export type KindMatch =
  | { readonly isMatch: true }
  | { readonly isMatch: false; readonly found?: string | undefined; readonly unknown?: true; readonly notEinvoice?: true };

export const mismatch = (found: string | undefined): KindMatch => ({ isMatch: false, found });

/** `kinds` are the first extensions of what the bytes may be. */
export const compareKinds = (kinds: readonly string[], declared: FileKind, found: string | undefined): KindMatch =>
  kinds.includes(declared.extensions[0])
    ? { isMatch: true }
    : mismatch(found ?? kinds.map((kind) => PLAIN_NAMES[kind] ?? kind).join(' or '));

/** Files that their first bytes identify: kinds by their usual extension, and the two containers. */
type Signature = Container | 'pdf' | 'rtf' | 'png' | 'jpg' | 'tiff' | 'bmp' | 'xls';

const PLAIN_NAMES: Readonly<Record<string, string>> = {
  pdf: 'a PDF document',
  rtf: 'an RTF document',
  png: 'a PNG image',
  jpg: 'a JPEG image',
  tiff: 'a TIFF image',
  bmp: 'a BMP image',
  doc: 'a Word 97 document (.doc)',
  xls: 'an Excel 97 workbook (.xls)',
  ppt: 'a PowerPoint 97 presentation (.ppt)',
  docx: 'a Word document (.docx)',
  xlsx: 'an Excel workbook (.xlsx)',
  pptx: 'a PowerPoint presentation (.pptx)',
  odt: 'an OpenDocument text (.odt)',
  ods: 'an OpenDocument spreadsheet (.ods)',
  odp: 'an OpenDocument presentation (.odp)',
};

const PREFIXES: readonly (readonly [Signature, string])[] = [
  ['png', '89504e470d0a1a0a'],
  ['jpg', 'ffd8ff'],
  ['tiff', '49492a00'],
  ['tiff', '4d4d002a'],
  ['tiff', '49492b00'], // BigTIFF
  ['tiff', '4d4d002b'],
];

export const findSignature = (head: Buffer): Signature | undefined => {
  const container = findContainer(head);
  if (container !== undefined) return container;
  const start = head.subarray(0, 8).toString('hex');
  const byPrefix = PREFIXES.find(([, prefix]) => start.startsWith(prefix))?.[0];
  if (byPrefix !== undefined) return byPrefix;
  const text = head
    .subarray(0, 64)
    .toString('latin1')
    .replace(/^(?:\xef\xbb\xbf)?[ \t\r\n]*/, '');
  if (text.startsWith('%PDF-')) return 'pdf';
  if (text.startsWith('{\\rtf')) return 'rtf';
  if (isBmp(head)) return 'bmp';
  return isBareBiff(head) ? 'xls' : undefined;
};

/** The header of a PDF, which readers look for in the first 1024 bytes. */
export const hasPdfHeader = (head: Buffer): boolean => head.subarray(0, 1_024).includes('%PDF-');

const BMP_HEADER_SIZES = new Set([12, 16, 40, 52, 56, 64, 108, 124]);

/** "BM" alone begins many a text, so the size of the second header must be one that exists. */
const isBmp = (head: Buffer): boolean =>
  head.length >= 26 && head.toString('latin1', 0, 2) === 'BM' && BMP_HEADER_SIZES.has(head.readUInt32LE(14));

/** Excel 2 to 4 wrote its records without a container: a BOF record of 4 to 16 bytes. */
const isBareBiff = (head: Buffer): boolean =>
  head.length >= 8 && head[0] === 0x09 && [0x00, 0x02, 0x04, 0x08].includes(head[1] ?? -1) && [4, 6, 8, 16].includes(head.readUInt16LE(2));
