import { Alert, Skeleton } from '@mantine/core';
import type { PDFDocumentProxy } from 'pdfjs-dist';
// oxlint-disable-next-line import/default -- vite makes one for ?url
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { pagePicture } from '../../../components/thumbnail.tsx';
import { useTranslate } from '../../../language/language.tsx';
import type { Document } from '../document-facts.tsx';
import { PageWords, PdfPage } from './pdf-page.tsx';
import type { PageProps, PageSource } from './print-pages.ts';

/** Pixels of the pictures that the service makes of what browsers do not show. */
const LARGEST_PX = 2_000;
/** What every browser shows as it is. */
const SHOWN_BY_BROWSERS: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp']);
const A4 = Math.SQRT2;

const addressOf = ({ id, mime_type: type }: Document, page: number): string =>
  SHOWN_BY_BROWSERS.has(type) ? `/api/documents/${id}/download?inline=true` : pagePicture(id, page, LARGEST_PX);

export const isPicture = ({ mime_type: type }: Document): boolean => type.startsWith('image/');

const pictureSource = (document: Document): PageSource => ({
  count: Math.max(1, document.page_count ?? 1),
  ratio: A4,
  pictureOf: (page) => Promise.resolve(addressOf(document, page)),
  draw: (props) => <PicturePage key={props.page} {...props} documentId={document.id} address={addressOf(document, props.page)} />,
});

/** Opens a PDF of the service. pdf.js itself is loaded with the first one; it runs no scripts of documents. */
const openPdf = async (url: string, signal: AbortSignal): Promise<PDFDocumentProxy> => {
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

const openPdfSource = async (documentId: string, signal: AbortSignal): Promise<PageSource> => {
  const pdf = await openPdf(`/api/documents/${documentId}/preview`, signal);
  const { width, height } = (await pdf.getPage(1)).getViewport({ scale: 1 });
  return {
    count: pdf.numPages,
    ratio: height / width,
    pictureOf: (page, stop) => picturePdfPage(pdf, page, stop),
    draw: (props) => <PdfPage key={props.page} {...props} pdf={pdf} documentId={documentId} />,
  };
};

/** The pages of a document: of a picture, of a PDF, or of the PDF that was made of an office document. Undefined while they are opened. */
export const usePageSource = (document: Document): PageSource | 'failed' | undefined => {
  const { id, mime_type: type, page_count: pageCount } = document;
  const isImage = isPicture(document);
  const [pdf, setPdf] = useState<PageSource | 'failed'>();
  useEffect(() => {
    if (isImage) return;
    const stop = new AbortController();
    setPdf(undefined);
    openPdfSource(id, stop.signal).then(
      (opened) => !stop.signal.aborted && setPdf(opened),
      () => !stop.signal.aborted && setPdf('failed'),
    );
    return () => stop.abort();
  }, [id, isImage]);
  // the pages of a picture follow from what it is, not from what else is known of it
  const picture = useMemo(
    () => (isImage ? pictureSource({ id, mime_type: type, page_count: pageCount } as Document) : undefined),
    [id, isImage, type, pageCount],
  );
  return picture ?? pdf;
};

/** Units of a PDF are 72 to the inch; paper shows no more than this of a drawn page. */
const SCALE = 200 / 72;
/** Of the longer side: a plan as large as a wall is printed on a sheet all the same. */
const MOST_PX = 3_000;
const QUALITY = 0.92;

/** The address of a picture of a page, drawn for paper. Whoever asked gives it back with `URL.revokeObjectURL`. */
const picturePdfPage = async (pdf: PDFDocumentProxy, number: number, signal: AbortSignal): Promise<string> => {
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

interface Props extends PageProps {
  readonly documentId: string;
  readonly address: string;
}

/** One page of a picture, with the words that were recognised on it. */
const PicturePage = ({ documentId, address, page, width, height, label, onRatio, query, onMark }: Props): ReactNode => {
  const t = useTranslate();
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading');
  if (state === 'failed') return <Alert color="yellow">{t('document.previewFailed')}</Alert>;
  return (
    <>
      {state === 'loading' && <Skeleton style={{ position: 'absolute', inset: 0 }} radius={0} />}
      <img
        src={address}
        alt={label}
        style={{ width: '100%', height: '100%', display: 'block' }}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
          setState('shown');
          if (naturalWidth > 0) onRatio(page, naturalHeight / naturalWidth);
        }}
        onError={() => setState('failed')}
      />
      {/* not before the shape of the picture is known, or they would be laid twice */}
      {state === 'shown' && <PageWords documentId={documentId} page={page} width={width} height={height} query={query} onMark={onMark} />}
    </>
  );
};
