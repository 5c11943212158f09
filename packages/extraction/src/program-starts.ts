import type { FileFamily } from '@sheaf/vocabulary/file-kinds';

interface Starts {
  /** Of programs, whoever starts them: the ocr-worker in a sandbox of their own, a shell there, or the warm process for pictures. */
  readonly document: number;
  /** And for each page that is recognised. */
  readonly page: number;
}

/**
 * How many programs are started for an ordinary document while what stays (OCR engine, LibreOffice, processes for pictures) is warm: each takes 4
 * to 10 ms of CPU, and a sandbox of its own 12 ms more. A test counts the real ones.
 */
export const MOST_STARTS: Readonly<Record<FileFamily | 'scan', Starts>> = {
  text: { document: 0, page: 0 },
  einvoice: { document: 0, page: 0 },
  image: { document: 0, page: 0 },
  /**
   * pdftotext. Once more where spaces between words are not plain; pdfimages where a picture is large enough to show text, pdfdetach where files
   * are embedded, pdftoppm where PDFium lacks a font. A large, damaged or encrypted file is looked at by poppler alone: a shell and six programs.
   */
  pdf: { document: 1, page: 0 },
  /** As of the PDF that the warm LibreOffice makes of it, which is asked through its socket. */
  office: { document: 1, page: 0 },
  /** pdftotext, pdfimages, and qpdf twice for what the pages are made of; then what draws a page that is more than its picture. */
  scan: { document: 4, page: 1 },
};
