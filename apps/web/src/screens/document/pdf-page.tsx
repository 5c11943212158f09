import { Skeleton } from '@mantine/core';
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { type ReactNode, useEffect, useRef, useState } from 'react';

const MOST_PIXEL_RATIO = 2;

interface Props {
  readonly pdf: PDFDocumentProxy;
  readonly number: number;
  readonly width: number;
  readonly label: string;
}

/** One page, drawn. */
export const PdfPage = ({ pdf, number, width, label }: Props): ReactNode => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const draw = async (): Promise<void> => {
      const page = await pdf.getPage(number);
      const target = canvas.current;
      if (stop.signal.aborted || target === null) return;
      const scale = (width / page.getViewport({ scale: 1 }).width) * Math.min(MOST_PIXEL_RATIO, globalThis.devicePixelRatio);
      const viewport = page.getViewport({ scale });
      target.width = Math.floor(viewport.width);
      target.height = Math.floor(viewport.height);
      const task = page.render({ canvas: target, viewport });
      stop.signal.addEventListener('abort', () => task.cancel(), { once: true });
      await task.promise;
      setDrawn(true);
    };
    draw().catch(() => undefined); // cancelled, or a page that cannot be drawn: its text stands beside it
    return () => stop.abort();
  }, [pdf, number, width]);
  return (
    <>
      {!isDrawn && <Skeleton style={{ position: 'absolute', inset: 0 }} radius={0} />}
      <canvas ref={canvas} role="img" aria-label={label} style={{ width: '100%', height: '100%', display: 'block' }} />
    </>
  );
};
