import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { useCall } from '../../../interface/use-call.ts';
import { wordsOf } from '../marked-words.ts';
import { layWords } from './lay-words.ts';
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
