import type { PDFDocumentProxy } from 'pdfjs-dist';

/** Units of a PDF are 72 to the inch; paper shows no more than this of a drawn page. */
const SCALE = 200 / 72;
/** Of the longer side: a plan as large as a wall is printed on a sheet all the same. */
const MOST_PX = 3_000;
const QUALITY = 0.92;

/** The address of a picture of a page, drawn for paper. Whoever asked gives it back with `URL.revokeObjectURL`. */
export const picturePdfPage = async (pdf: PDFDocumentProxy, number: number, signal: AbortSignal): Promise<string> => {
  const page = await pdf.getPage(number);
  signal.throwIfAborted();
  const { width, height } = page.getViewport({ scale: 1 });
  const viewport = page.getViewport({ scale: Math.min(SCALE, MOST_PX / Math.max(width, height)) });
  const canvas = globalThis.document.createElement('canvas');
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  const task = page.render({ canvas, viewport, intent: 'print' });
  const stop = (): void => task.cancel();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await task.promise;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  const picture = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, 'image/jpeg', QUALITY);
  });
  canvas.width = 0; // its memory is free at once, not when somebody tidies up
  if (picture === null) throw new Error(`Page ${number} could not be drawn`);
  return URL.createObjectURL(picture);
};
