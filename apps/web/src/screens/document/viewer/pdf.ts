import type { PDFDocumentProxy } from 'pdfjs-dist';
// oxlint-disable-next-line import/default -- vite makes one for ?url
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';

/** Opens a PDF of the service. pdf.js itself is loaded with the first one; it runs no scripts of documents. */
export const openPdf = async (url: string, signal: AbortSignal): Promise<PDFDocumentProxy> => {
  const { getDocument, GlobalWorkerOptions } = await import('pdfjs-dist');
  GlobalWorkerOptions.workerSrc = workerUrl;
  const task = getDocument({
    url,
    withCredentials: true,
    cMapUrl: '/pdfjs/cmaps/',
    standardFontDataUrl: '/pdfjs/standard_fonts/',
    wasmUrl: '/pdfjs/wasm/',
    iccUrl: '/pdfjs/iccs/',
    enableXfa: false,
    // pages as they are needed, not the whole file
    disableAutoFetch: true,
    disableStream: true,
  });
  signal.addEventListener('abort', () => void task.destroy(), { once: true });
  return task.promise;
};
