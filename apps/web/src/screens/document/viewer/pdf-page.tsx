import { Skeleton } from '@mantine/core';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { markWords, wordsOf } from '../marked-words.ts';
import { PageWords } from './page-words.tsx';
import type { PageProps } from './print-pages.ts';
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
    const draw: PageWork<HTMLCanvasElement> = async (page, target, signal) => {
      const whole = page.getViewport({ scale: 1 });
      onRatio(number, whole.height / whole.width);
      const scale = (width / whole.width) * Math.min(MOST_PIXEL_RATIO, globalThis.devicePixelRatio);
      const viewport = page.getViewport({ scale });
      target.width = Math.floor(viewport.width);
      target.height = Math.floor(viewport.height);
      const task = page.render({ canvas: target, viewport });
      signal.addEventListener('abort', () => task.cancel(), { once: true });
      await task.promise;
      setDrawn(true);
    };
    return workOnPage(pdf, number, canvas, draw);
  }, [pdf, number, width, onRatio]);
  useEffect(() => {
    const lay: PageWork<HTMLDivElement> = async (page, container, signal) => {
      await layText({ page, scale: width / page.getViewport({ scale: 1 }).width, container, wanted, signal });
      const mark = container.querySelector('mark');
      if (mark !== null) onMark(number, mark.getBoundingClientRect().top - container.getBoundingClientRect().top);
    };
    return workOnPage(pdf, number, words, lay);
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

type PageWork<E> = (page: PDFPageProxy, element: E, signal: AbortSignal) => Promise<void>;

/** Does something with a page and the element that shows it, until the function that is returned is called. */
const workOnPage = <E,>(
  pdf: PDFDocumentProxy,
  number: number,
  { current: element }: RefObject<E | null>,
  work: PageWork<E>,
): (() => void) => {
  const stop = new AbortController();
  const run = async (): Promise<void> => {
    const page = await pdf.getPage(number);
    if (!stop.signal.aborted && element !== null) await work(page, element, stop.signal);
  };
  run().catch(() => undefined); // cancelled, or a page that cannot be drawn or has no words: its text stands beside it
  return () => stop.abort();
};

interface PdfText {
  readonly page: PDFPageProxy;
  /** Pixels of the screen for each unit of the page. */
  readonly scale: number;
  readonly container: HTMLElement;
  /** To be marked, as `wordsOf` gives them. */
  readonly wanted: readonly string[];
  readonly signal: AbortSignal;
}

const markIn = (element: HTMLElement, text: string, wanted: readonly string[]): void => {
  const parts = markWords(text, wanted);
  if (!parts.some(({ isMarked }) => isMarked)) return;
  element.replaceChildren(
    ...parts.map((part) => {
      if (!part.isMarked) return part.text;
      const mark = document.createElement('mark');
      mark.textContent = part.text;
      return mark;
    }),
  );
};

/** Lays the words of a page of a PDF over its picture, and marks those that are wanted. A word that the file has in pieces is not found. */
const layText = async ({ page, scale, container, wanted, signal }: PdfText): Promise<void> => {
  const { TextLayer } = await import('pdfjs-dist');
  if (signal.aborted) return;
  container.replaceChildren();
  container.style.setProperty('--total-scale-factor', String(scale));
  const layer = new TextLayer({ textContentSource: page.streamTextContent(), container, viewport: page.getViewport({ scale }) });
  signal.addEventListener('abort', () => layer.cancel(), { once: true });
  await layer.render();
  for (const [index, element] of layer.textDivs.entries()) markIn(element, layer.textContentItemsStr[index] ?? '', wanted);
};
