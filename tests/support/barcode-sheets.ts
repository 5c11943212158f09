import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type PdfPage, type PdfPicture } from '@sheaf/testkit';
import sharp from 'sharp';
import { prepareZXingModule, type WriterOptions, writeBarcode } from 'zxing-wasm/writer';

const wasm = await readFile(fileURLToPath(import.meta.resolve('zxing-wasm/writer/zxing_writer.wasm')));
await prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer }, fireImmediately: true });

export interface CodeToDraw {
  readonly text: string;
  readonly format?: WriterOptions['format'];
}

const A4 = { width: 1_240, height: 1_754, dpi: 150 } as const;
const MARGIN = 60;

/** A code as a PNG, its modules so many pixels wide. */
const drawCode = async ({ text, format = 'QRCode' }: CodeToDraw, modulePixels: number): Promise<Buffer> => {
  const { image, error } = await writeBarcode(text, { format, scale: modulePixels });
  if (image === null) throw new Error(`${text}: ${error}`);
  return Buffer.from(await image.arrayBuffer());
};

/** A scanned sheet with these codes, as many in a row as there is room for. */
export const drawCodes = async (codes: readonly CodeToDraw[], modulePixels = 3): Promise<PdfPicture> => {
  let [left, top, rowHeight] = [MARGIN, MARGIN, 0];
  const placed: { input: Buffer; left: number; top: number }[] = [];
  for (const code of codes) {
    const input = await drawCode(code, modulePixels);
    const { width, height } = await sharp(input).metadata();
    if (left + width > A4.width - MARGIN) [left, top, rowHeight] = [MARGIN, top + rowHeight + MARGIN / 2, 0];
    placed.push({ input, left, top });
    left += width + MARGIN / 2;
    rowHeight = Math.max(rowHeight, height);
  }
  const sheet = sharp({ create: { width: A4.width, height: A4.height, channels: 3, background: 'white' } }).composite(placed);
  const jpeg = await sheet.toColourspace('b-w').jpeg({ quality: 90 }).toBuffer();
  return { jpeg, ...A4 };
};

/** A page for `makePdf` with one code, and lines of text above it. */
export const codedPage = async (lines: readonly string[], ...codes: readonly CodeToDraw[]): Promise<PdfPage> => ({
  lines,
  picture: await drawCodes(codes),
});
