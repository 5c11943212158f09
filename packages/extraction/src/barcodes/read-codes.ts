import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { type GreyImage, pgmParts } from '../images/grey-image.ts';
import { BARCODE_FORMATS, type Barcode, MAX_CODE_CHARS, MAX_PAGE_CODES } from './barcode.ts';

/** The library asks a server for its program unless it is given. It is made ready with the first picture. */
const prepare = async (): Promise<unknown> => {
  const wasmBinary = await readFile(fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')));
  const own = new Uint8Array(wasmBinary); // the buffer of a file may be part of a larger one
  return prepareZXingModule({ overrides: { wasmBinary: own.buffer }, fireImmediately: true });
};

let ready: Promise<unknown> | undefined;

/** The codes in a picture, each once. Only in the process for strangers' pictures. */
export const readCodes = async (image: GreyImage): Promise<readonly Barcode[]> => {
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
  return [...codes.values()];
};
