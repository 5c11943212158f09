import { Skeleton } from '@mantine/core';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { markWords, wordsOf } from '../marked-words.ts';
import type { PageProps } from './print-pages.ts';
import './pdf-text.css';
import { useCall } from '../../../interface/call.ts';
import './page-words.css';

interface PageWordsProps {
  readonly documentId: string;
  readonly page: number;
  /** Pixels of the page on the screen. */
  readonly width: number;
  readonly height: number;
  /** What was looked for, to be marked. */
  readonly query: string;
  /** Told how far below the top of the page the first mark is, in pixels. */
  readonly onMark: (page: number, top: number) => void;
}

const KEPT_MS = 5 * 60_000;

/**
 * The words of a page that were recognised, above its picture: all of a scan, and those of pictures beside a text layer, of which a
 * viewer of PDFs knows nothing.
 */
export const PageWords = ({ documentId, page, width, height, query, onMark }: PageWordsProps): ReactNode => {
  const container = useRef<HTMLDivElement>(null);
  const wanted = useMemo(() => wordsOf(query), [query]);
  const given = { params: { id: documentId, page: String(page) } };
  const { data } = useCall('get /api/documents/{id}/pages/{page}/words', given, { staleMs: KEPT_MS });
  const words = useMemo(() => (data?.words ?? []).filter(({ confidence }) => data?.origin === 'ocr' || confidence < 1), [data]);
  useEffect(() => {
    const target = container.current;
    if (target === null) return;
    layWords({ words, width, height, container: target, wanted });
    const mark = target.querySelector('mark');
    if (mark !== null) onMark(page, mark.getBoundingClientRect().top - target.getBoundingClientRect().top);
  }, [words, width, height, wanted, onMark, page]);
  // hidden from readers of the screen: the text stands beside the page for them
  return <div ref={container} className="page-words" aria-hidden />;
};

interface PlacedWord {
  readonly text: string;
  /** In fractions of the page, from its top left corner. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Page {
  readonly words: readonly PlacedWord[];
  /** Pixels of the page on the screen. */
  readonly width: number;
  readonly height: number;
  readonly container: HTMLElement;
  /** To be marked, as `wordsOf` gives them. */
  readonly wanted: readonly string[];
}

const FONT = 'sans-serif';
/** Letters fill about so much of the height of a line of their size. */
const LETTERS_SHARE = 0.85;

/** Whether `next` begins a line after `word`: further left, or below its middle. */
const beginsLine = (word: PlacedWord, next: PlacedWord): boolean => next.x < word.x || next.y > word.y + word.height / 2;

/** Lays words over the picture of their page, each as wide as it stands there, and marks those that are wanted. */
const layWords = ({ words, width, height, container, wanted }: Page): void => {
  const measure = document.createElement('canvas').getContext('2d');
  const elements = words.flatMap((word, index) => {
    const next = words[index + 1];
    const size = Math.max(1, word.height * height * LETTERS_SHARE);
    const element = document.createElement('span');
    Object.assign(element.style, {
      left: `${word.x * 100}%`,
      top: `${word.y * 100}%`,
      fontFamily: FONT,
      fontSize: `${size}px`,
      lineHeight: `${word.height * height}px`,
    });
    if (measure !== null) {
      measure.font = `${size}px ${FONT}`;
      const natural = measure.measureText(word.text).width;
      if (natural > 0) element.style.transform = `scaleX(${(word.width * width) / natural})`;
    }
    const parts = markWords(word.text, wanted).map((part) => {
      if (!part.isMarked) return part.text;
      const mark = document.createElement('mark');
      mark.textContent = part.text;
      return mark;
    });
    const isLast = next === undefined || beginsLine(word, next);
    element.append(...parts, ...(isLast ? [] : [' ']));
    return isLast ? [element, document.createElement('br')] : [element];
  });
  container.replaceChildren(...elements);
};

const MOST_PIXEL_RATIO = 2;

interface PdfPageProps extends PageProps {
  readonly pdf: PDFDocumentProxy;
  readonly documentId: string;
}

/** One page, drawn, with its words to be selected. */
export const PdfPage = ({ pdf, documentId, page: number, width, height, label, onRatio, query, onMark }: PdfPageProps): ReactNode => {
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
