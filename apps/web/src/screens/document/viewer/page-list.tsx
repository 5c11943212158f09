import { Box } from '@mantine/core';
import { useMergedRef, useResizeObserver } from '@mantine/hooks';
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useFormat, useTranslate } from '../../../language/language.tsx';
import { type Highlight, PageHighlight } from './page-highlight.tsx';
import { layOut, type PageLayout, type Place, pageAt, pagesSeen, placeAt, topOf } from './page-layout.ts';
import type { PageSource } from './page-source.ts';
import type { ViewerView } from './use-viewer-view.ts';

/** A mark in this part of the box is seen without scrolling. */
const SEEN = 0.8;
/** So much of a page is seen above what is shown on it. */
const ABOVE_HIGHLIGHT = 0.15;

/** How high pages are to their width: as they were seen, else as the first one. */
const useRatios = (source: PageSource, isTurned: boolean) => {
  const [known, setKnown] = useState<ReadonlyMap<number, number>>(new Map());
  useEffect(() => setKnown(new Map()), [source]);
  const onRatio = useCallback(
    (page: number, ratio: number) => setKnown((before) => (before.get(page) === ratio ? before : new Map(before).set(page, ratio))),
    [],
  );
  const ratioOf = useCallback(
    (page: number) => {
      const ratio = known.get(page) ?? known.get(1) ?? source.ratio;
      return isTurned ? 1 / ratio : ratio;
    },
    [known, source, isTurned],
  );
  return { ratioOf, onRatio };
};

/** Where the reader is. `isHeld`: he was brought there and has not moved since, so it stays in sight whatever becomes of the pages above. */
interface Position extends Place {
  readonly isHeld: boolean;
}

/** A page as it is drawn, turned in its frame. */
const turned = (turns: number, width: number, height: number) => ({
  inner: turns % 2 === 0 ? { width, height } : { width: height, height: width },
  transform: `translate(-50%, -50%) rotate(${turns * 90}deg)`,
});

interface Props {
  readonly source: PageSource;
  readonly view: ViewerView;
  readonly page: number;
  /** Told when another page has come into sight. */
  readonly onPage: (page: number) => void;
  /** What was looked for, to be marked. */
  readonly query: string;
  /** What somebody wants to see. */
  readonly highlight: Highlight | undefined;
}

/** The pages below each other, of which only those in sight are drawn. */
export const PageList = ({ source, view, page, onPage, query, highlight }: Props): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { zoom, fitted, turns } = view;
  // without the scroll bars, which pages must not lie below
  const [sizeRef, { left, right, top: upper, bottom }] = useResizeObserver<HTMLDivElement>();
  const [boxWidth, boxHeight] = [right - left, bottom - upper];
  const box = useRef<HTMLDivElement>(null);
  const ref = useMergedRef(box, sizeRef);
  const [top, setTop] = useState(0);
  const { ratioOf, onRatio } = useRatios(source, turns % 2 === 1);
  const { count } = source;
  const layout: PageLayout = useMemo(
    () => layOut({ count, ratioOf, width: boxWidth, height: boxHeight, isWhole: fitted === 'page', zoom }),
    [count, ratioOf, boxWidth, boxHeight, fitted, zoom],
  );
  const position = useRef<Position>({ page, fraction: 0, isHeld: true });
  const told = useRef(page);

  const bringBack = useCallback((): void => {
    if (box.current === null || boxWidth === 0) return;
    box.current.scrollTop = topOf(layout, position.current);
    setTop(box.current.scrollTop);
  }, [layout, boxWidth]);
  // pages change their size when they are seen first, zoomed or turned: the reader stays where he is
  useLayoutEffect(bringBack, [bringBack]);
  useLayoutEffect(() => {
    if (told.current === page) return;
    told.current = page;
    position.current = { page, fraction: 0, isHeld: true };
    bringBack();
  }, [page, bringBack]);

  const shown = useRef<Highlight>(undefined);
  useLayoutEffect(() => {
    if (shown.current === highlight || boxWidth === 0) return;
    shown.current = highlight;
    if (highlight === undefined) return;
    const fraction = turns === 0 ? Math.max(0, highlight.y - ABOVE_HIGHLIGHT) : 0;
    position.current = { page: highlight.page, fraction, isHeld: true };
    bringBack();
  }, [highlight, turns, boxWidth, bringBack]);

  const onScroll = (): void => {
    const at = box.current?.scrollTop ?? 0;
    setTop(at);
    if (position.current.isHeld) return;
    position.current = { ...placeAt(layout, at), isHeld: false };
    // a short last page never comes as far up as the others
    const seen = at + boxHeight >= layout.total - 1 ? count : pageAt(layout, at + boxHeight / 3);
    if (seen === told.current) return;
    told.current = seen;
    onPage(seen);
  };
  const letGo = (): void => {
    position.current = { ...position.current, isHeld: false };
  };
  const onMark = useCallback(
    (marked: number, markTop: number) => {
      const height = box.current?.clientHeight ?? 0;
      if (!position.current.isHeld || position.current.page !== marked || turns !== 0 || markTop < height * SEEN) return;
      const fraction = (markTop - height / 3) / Math.max(1, layout.heights[marked - 1] ?? 1);
      position.current = { page: marked, fraction, isHeld: true };
      bringBack();
    },
    [layout, bringBack, turns],
  );

  return (
    <Box
      ref={ref}
      onScroll={onScroll}
      onWheel={letGo}
      onPointerDown={letGo}
      onTouchMove={letGo}
      onKeyDown={letGo}
      tabIndex={0}
      role="group"
      aria-label={t('document.preview')}
      className="viewer-pages"
      bg="var(--mantine-color-default-hover)"
    >
      <div style={{ position: 'relative', height: layout.total, minWidth: layout.width }}>
        {(boxWidth === 0 ? [] : pagesSeen(layout, top, boxHeight)).map((number) => {
          const [width, height] = [layout.widths[number - 1] ?? 0, layout.heights[number - 1] ?? 0];
          const { inner, transform } = turned(turns, width, height);
          return (
            <div key={number} className="viewer-page" data-page={number} style={{ top: layout.starts[number - 1], width, height }}>
              <div style={{ position: 'absolute', insetInlineStart: '50%', top: '50%', ...inner, transform }}>
                {source.draw({
                  page: number,
                  ...inner,
                  label: t('document.pageLabel', { page: format.number(number) }),
                  onRatio,
                  query,
                  onMark,
                })}
                {highlight?.page === number && <PageHighlight {...highlight} />}
              </div>
            </div>
          );
        })}
      </div>
    </Box>
  );
};
