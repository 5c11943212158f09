import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Position, prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { type GreyImage, pgmParts } from '../images/grey-image.ts';
import { BARCODE_FORMATS, type Barcode, MAX_CODE_CHARS, MAX_PAGE_CODES } from './barcode.ts';

/** The library asks a server for its program unless it is given. It is made ready with the first picture. */
const prepare = async (): Promise<unknown> => {
  const wasmBinary = await readFile(fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')));
  const own = new Uint8Array(wasmBinary); // the buffer of a file may be part of a larger one
  return prepareZXingModule({ overrides: { wasmBinary: own.buffer }, fireImmediately: true });
};

let ready: Promise<unknown> | undefined;

/** A rectangle of pixels. */
export interface CodePlace {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The codes in a picture, each once, and where they stand. Only in the process for strangers' pictures. */
export const readCodes = async (
  image: GreyImage,
): Promise<{ readonly codes: readonly Barcode[]; readonly places: readonly CodePlace[] }> => {
  ready ??= prepare();
  await ready;
  const found = await readBarcodes(Buffer.concat(pgmParts(image)), {
    formats: [...BARCODE_FORMATS],
    textMode: 'Plain',
    tryInvert: false, // nobody prints white bars on black paper, and it costs as much again
    maxNumberOfSymbols: MAX_PAGE_CODES,
  });
  const codes = new Map<string, Barcode>();
  for (const { format, text } of found) {
    const known = BARCODE_FORMATS.find((name) => name === format);
    if (known !== undefined && text.length <= MAX_CODE_CHARS) codes.set(`${known} ${text}`, { format: known, text });
  }
  return { codes: [...codes.values()], places: found.map(({ position }) => placeOf(position)) };
};

const placeOf = ({ topLeft, topRight, bottomLeft, bottomRight }: Position): CodePlace => {
  const corners = [topLeft, topRight, bottomLeft, bottomRight];
  const [across, down] = [corners.map(({ x }) => x), corners.map(({ y }) => y)];
  return { left: Math.min(...across), top: Math.min(...down), right: Math.max(...across), bottom: Math.max(...down) };
};
