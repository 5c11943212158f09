import { createHash } from 'node:crypto';
import { makePdf, type PdfPicture } from '@sheaf/testkit';
import sharp from 'sharp';
import { makeDocx } from '../fixtures/external-references/ooxml.ts';

/** A kind of document, with what a quiet machine of two cores is to reach. */
export interface IngestKind {
  readonly extension: string;
  readonly count: number;
  readonly goalPerSecond?: number;
  readonly make: (mark: string) => Promise<Buffer>;
}

const BEGINNINGS = 'har freight car cust insur consig deliv pay ord invo ware ship pack weigh term sett rout port dock crane'.split(' ');
const ENDINGS = 'bour age rier oms ance nment ery ment er ice house ping ing ts inal lement es master yard load'.split(' ');
/** More words than two documents of this length have in common by chance: alike texts would be compared as near-duplicates. */
const WORDS = BEGINNINGS.flatMap((beginning) => ENDINGS.map((ending) => `${beginning}${ending}`));
const A4 = { width: 2_480, height: 3_508, dpi: 300 };

/** Lines of nine words, the same ones for the same mark and others for another. */
const linesOf = (mark: string, count: number): string[] => {
  const random = createHash('shake256', { outputLength: count * 18 })
    .update(mark)
    .digest();
  return Array.from({ length: count }, (_, line) => {
    const words = Array.from({ length: 9 }, (__, at) => WORDS[random.readUInt16LE((line * 9 + at) * 2) % WORDS.length]);
    return line === 0 ? `Notice ${mark} of the harbour office` : words.join(' ');
  });
};

/** A typed page as a scanner at 300 dpi gives it, with the paper's shade and noise. */
export const drawPage = async (mark: string): Promise<PdfPicture> => {
  const rows = linesOf(mark, 34).map((line, row) => `<text x="240" y="${320 + row * 84}">${line}</text>`);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${A4.width}" height="${A4.height}"><rect width="100%" height="100%" fill="#f8f8f8"/><g font-family="DejaVu Serif, Liberation Serif, serif" font-size="38" fill="#1c1c1c">${rows.join('')}</g></svg>`;
  const jpeg = await sharp(Buffer.from(svg)).toColourspace('b-w').jpeg({ quality: 80 }).toBuffer();
  return { jpeg, ...A4 };
};

const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

export const INGEST_KINDS: Readonly<Record<string, IngestKind>> = {
  text: {
    extension: 'txt',
    count: 1_000,
    goalPerSecond: 60,
    make: async (mark) => Buffer.from(linesOf(mark, 28).join('\n')),
  },
  'digital PDF, 2 pages': {
    extension: 'pdf',
    count: 200,
    goalPerSecond: 25,
    make: async (mark) => makePdf([{ lines: linesOf(mark, 40) }, { lines: linesOf(`${mark} continued`, 40) }]),
  },
  office: { extension: 'docx', count: 100, make: async (mark) => makeDocx(linesOf(mark, 60).map(paragraph).join('')) },
  picture: { extension: 'jpg', count: 100, make: async (mark) => (await drawPage(mark)).jpeg },
  scan: {
    extension: 'pdf',
    count: 20,
    make: async (mark) => makePdf([{ picture: await drawPage(mark) }, { picture: await drawPage(`${mark} B`) }]),
  },
};
