import {
  type ExtractedPage,
  type ExtractionFailed,
  type ExtractionLimits,
  type ExtractionRequest,
  type ExtractionSettings,
  type Extractor,
  UnreadableDocument,
} from '@sheaf/extraction';
import { PictureMaker } from '@sheaf/extraction/pictures';

const MIB = 1024 * 1024;
export const extractionLimits: ExtractionLimits = {
  toolMemoryBytes: 2048 * MIB,
  toolFileBytes: 1024 * MIB,
  archiveRatio: 250,
  archiveEntries: 20_000,
  archiveBytes: 1024 * MIB,
  imagePixels: 500_000_000,
  officeTimeoutMs: 120_000,
};

/** What pictures are made with; it is stopped when it is disposed of. */
export const openPictures = (scratchPath: string): PictureMaker & AsyncDisposable => {
  const pictures = new PictureMaker({ scratchPath, limits: extractionLimits, processes: 2 });
  return Object.assign(pictures, { [Symbol.asyncDispose]: () => pictures.stop() });
};

/** The defaults of the service, with two page readers. */
export const extractionSettings = (scratchPath: string): ExtractionSettings => ({
  scratchPath,
  readers: 2,
  documents: 8,
  dpi: 300,
  psm: 3,
  oem: 1,
  dataPath: '/usr/share/tesseract-ocr/4.00/tessdata',
  runner: 'auto',
  timeoutMs: 300_000,
  maxPages: 20_000,
  maxPdfBytes: 100 * 1024 * 1024,
  maxOfficeBytes: 100 * 1024 * 1024,
  maxPixels: 50_000_000,
  confidenceThreshold: 0.6,
  limits: extractionLimits,
  sandbox: 'prefer',
});

type Read =
  | ExtractionFailed
  | { readonly ok: true; readonly pageCount: number; readonly pages: readonly ExtractedPage[]; readonly text: string };

/** Reads a document to its end; the pages come in order. */
export const readAll = async (
  extractor: Extractor,
  request: Pick<ExtractionRequest, 'path' | 'mimeType'> & Partial<ExtractionRequest>,
): Promise<Read> => {
  const defaults = { filename: 'document', language: 'eng', ocr: true, donePages: new Set<number>(), signal: new AbortController().signal };
  const extraction = await extractor.extract({ ...defaults, ...request });
  if (!extraction.ok) return extraction;
  await using document = extraction;
  const pages: ExtractedPage[] = [];
  try {
    for await (const batch of document.pages) pages.push(...batch);
  } catch (error) {
    if (error instanceof UnreadableDocument) return error.failure;
    throw error;
  }
  pages.sort((a, b) => a.page - b.page);
  return { ok: true, pageCount: document.pageCount, pages, text: pages.map((page) => page.text).join('\n') };
};

/** For comparing: white space and case do not count. */
export const squeezed = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ');
