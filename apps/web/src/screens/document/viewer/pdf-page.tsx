import { Skeleton } from '@mantine/core';
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { wordsOf } from '../marked-words.ts';
import type { PageProps } from './page-source.ts';
import { PageWords } from './page-words.tsx';
import { layText } from './pdf-text.ts';
import './pdf-text.css';

const MOST_PIXEL_RATIO = 2;

interface Props extends PageProps {
  readonly pdf: PDFDocumentProxy;
  readonly documentId: string;
}

/** One page, drawn, with its words to be selected. */
export const PdfPage = ({ pdf, documentId, page: number, width, height, label, onRatio, query, onMark }: Props): ReactNode => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const words = useRef<HTMLDivElement>(null);
  const wanted = useMemo(() => wordsOf(query), [query]);
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const draw = async (): Promise<void> => {
      const page = await pdf.getPage(number);
      const target = canvas.current;
      if (stop.signal.aborted || target === null) return;
      const whole = page.getViewport({ scale: 1 });
      onRatio(number, whole.height / whole.width);
      const scale = (width / whole.width) * Math.min(MOST_PIXEL_RATIO, globalThis.devicePixelRatio);
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
  }, [pdf, number, width, onRatio]);
  useEffect(() => {
    const stop = new AbortController();
    const lay = async (): Promise<void> => {
      const page = await pdf.getPage(number);
      const container = words.current;
      if (stop.signal.aborted || container === null) return;
      await layText({ page, scale: width / page.getViewport({ scale: 1 }).width, container, wanted, signal: stop.signal });
      const mark = container.querySelector('mark');
      if (mark !== null) onMark(number, mark.getBoundingClientRect().top - container.getBoundingClientRect().top);
    };
    lay().catch(() => undefined); // cancelled, or a page without words
    return () => stop.abort();
  }, [pdf, number, width, wanted, onMark]);
  return (
    <>
      {!isDrawn && <Skeleton style={{ position: 'absolute', inset: 0 }} radius={0} />}
      <canvas ref={canvas} role="img" aria-label={label} style={{ width: '100%', height: '100%', display: 'block' }} />
      {/* hidden from readers of the screen: the text stands beside the page for them */}
      <div ref={words} className="pdf-text" aria-hidden />
      <PageWords documentId={documentId} page={number} width={width} height={height} query={query} onMark={onMark} />
    </>
  );
};
