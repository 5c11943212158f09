import type { FileFamily } from '@sheaf/vocabulary/file-kinds';

interface Starts {
  /** Of programs, each in a sandbox of its own. */
  readonly document: number;
  /** And for each page that is recognised. */
  readonly page: number;
}

/**
 * How many sandboxes the ocr-worker starts for a document while what stays (OCR engine, LibreOffice, processes for pictures) is warm. A sandbox
 * alone takes 12 ms of CPU. What a shell runs in one sandbox, as the programs of poppler for a PDF, counts once. A test counts the real ones.
 */
export const MOST_STARTS: Readonly<Record<FileFamily | 'scan', Starts>> = {
  text: { document: 0, page: 0 },
  einvoice: { document: 0, page: 0 },
  image: { document: 0, page: 0 },
  /** One shell, which has poppler find out all at once and draw the picture of the first page. */
  pdf: { document: 1, page: 0 },
  /** As of a PDF, beside the calls of the warm LibreOffice: one, and one more for the cells of a spreadsheet. */
  office: { document: 1, page: 0 },
  /** As of a PDF, qpdf once for what its pages are made of, then what takes out or draws a page. */
  scan: { document: 2, page: 1 },
};
