import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PDFiumModule } from '@hyzyla/pdfium';

/** What is used of PDFium (https://pdfium.googlesource.com/pdfium/+/refs/heads/main/public/); pointers and handles are numbers. */
export interface Pdfium {
  readonly HEAPU8: Uint8Array;
  readonly HEAPF32: Float32Array;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  _FPDF_InitLibraryWithConfig(config: number): void;
  _FPDF_LoadMemDocument(bytes: number, size: number, password: number): number;
  _FPDF_CloseDocument(document: number): void;
  _FPDF_DocumentHasValidCrossReferenceTable(document: number): number;
  _FPDF_GetPageCount(document: number): number;
  _FPDF_LoadPage(document: number, index: number): number;
  _FPDF_ClosePage(page: number): void;
  _FPDF_GetPageBoundingBox(page: number, rectangle: number): number;
  _FPDFPage_GetCropBox(page: number, left: number, bottom: number, right: number, top: number): number;
  _FPDFPage_GetMediaBox(page: number, left: number, bottom: number, right: number, top: number): number;
  _FPDFPage_GetRotation(page: number): number;
  _FPDFPage_GetAnnotCount(page: number): number;
  _FPDFPage_GetAnnot(page: number, index: number): number;
  _FPDFAnnot_GetSubtype(annotation: number): number;
  _FPDFPage_CloseAnnot(annotation: number): void;
  _FPDFPage_CountObjects(page: number): number;
  _FPDFPage_GetObject(page: number, index: number): number;
  _FPDFFormObj_CountObjects(form: number): number;
  _FPDFFormObj_GetObject(form: number, index: number): number;
  _FPDFPageObj_GetType(object: number): number;
  _FPDFPageObj_GetBounds(object: number, left: number, bottom: number, right: number, top: number): number;
  _FPDFTextObj_GetFont(object: number): number;
  _FPDFFont_GetIsEmbedded(font: number): number;
  _FPDFFont_GetBaseFontName(font: number, buffer: number, size: number): number;
  _FPDFText_LoadPage(page: number): number;
  _FPDFText_CountChars(text: number): number;
  _FPDFText_GetUnicode(text: number, index: number): number;
  _FPDFText_ClosePage(text: number): void;
  _FPDFDoc_GetAttachmentCount(document: number): number;
  _FPDFBitmap_CreateEx(width: number, height: number, format: number, pixels: number, stride: number): number;
  _FPDFBitmap_FillRect(bitmap: number, left: number, top: number, width: number, height: number, colour: number): void;
  _FPDF_RenderPageBitmap(
    bitmap: number,
    page: number,
    left: number,
    top: number,
    width: number,
    height: number,
    turn: number,
    flags: number,
  ): void;
  _FPDFBitmap_Destroy(bitmap: number): void;
}

const CONFIG_BYTES = 32;
const CONFIG_VERSION = 2;

let started: Promise<Pdfium> | undefined;

/** PDFium, compiled to WebAssembly: what a document does to it stays in the memory of it. Started once a process. */
export const startPdfium = (): Promise<Pdfium> => {
  started ??= start();
  return started;
};

/** The next document has one that is started anew. */
export const dropPdfium = (): void => {
  started = undefined;
};

const start = async (): Promise<Pdfium> => {
  const bytes = await readFile(fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm')));
  const wasmBinary = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const pdfium = (await PDFiumModule({ wasmBinary })) as unknown as Pdfium;
  const config = pdfium._malloc(CONFIG_BYTES);
  pdfium.HEAPU8.fill(0, config, config + CONFIG_BYTES);
  pdfium.HEAPU8[config] = CONFIG_VERSION;
  pdfium._FPDF_InitLibraryWithConfig(config);
  pdfium._free(config);
  return pdfium;
};

/** Calls `use` with memory of PDFium, which is released behind it. */
export const withMemory = <T>(pdfium: Pdfium, bytes: number, use: (pointer: number) => T): T => {
  const pointer = pdfium._malloc(bytes);
  if (pointer === 0) throw new Error('PDFium has no more memory');
  try {
    return use(pointer);
  } finally {
    pdfium._free(pointer);
  }
};

export const FLOAT_BYTES = 4;

/** So many numbers that lie behind each other. */
export const floatsAt = (pdfium: Pdfium, pointer: number, count: number): number[] => [
  ...pdfium.HEAPF32.subarray(pointer / FLOAT_BYTES, pointer / FLOAT_BYTES + count),
];
