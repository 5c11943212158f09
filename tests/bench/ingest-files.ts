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

const WORDS =
  'the harbour office received this consignment in good order and asks the carrier to settle freight insurance and customs before the end of the month'.split(
    ' ',
  );
const A4 = { width: 2_480, height: 3_508, dpi: 300 };

/** Lines of about twelve words, another text for each mark. */
const linesOf = (mark: string, count: number): string[] =>
  Array.from({ length: count }, (_, line) => {
    const words = Array.from(
      { length: 12 },
      (__, at) => WORDS[(line * 7 + at * 3 + mark.length * 5 + mark.charCodeAt(mark.length - 1)) % WORDS.length],
    );
    return line === 0 ? `Notice ${mark} of the harbour office` : `${words.join(' ')} ${line}`;
  });

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
