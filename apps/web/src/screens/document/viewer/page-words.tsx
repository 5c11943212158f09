import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { useCall } from '../../../interface/use-call.ts';
import { markWords, wordsOf } from '../marked-words.ts';
import './page-words.css';

interface Props {
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
export const PageWords = ({ documentId, page, width, height, query, onMark }: Props): ReactNode => {
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
