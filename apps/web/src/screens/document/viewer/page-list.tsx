import { Box } from '@mantine/core';
import { useMergedRef, useResizeObserver } from '@mantine/hooks';
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useFormat, useTranslate } from '../../../language/language.tsx';
import type { PageSource } from './print-pages.ts';
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

/** Where the reader is. `isHeld`: they were brought there and have not moved since, so it stays in sight whatever becomes of the pages above. */
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
  const reportedPage = useRef(page);

  const bringBack = useCallback((): void => {
    if (box.current === null || boxWidth === 0) return;
    box.current.scrollTop = topOf(layout, position.current);
    setTop(box.current.scrollTop);
  }, [layout, boxWidth]);
  // pages change their size when they are seen first, zoomed or turned: the reader stays where they are
  useLayoutEffect(bringBack, [bringBack]);
  useLayoutEffect(() => {
    if (reportedPage.current === page) return;
    reportedPage.current = page;
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
    if (seen === reportedPage.current) return;
    reportedPage.current = seen;
    onPage(seen);
  };
  const stopFollowing = (): void => {
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
      onWheel={stopFollowing}
      onPointerDown={stopFollowing}
      onTouchMove={stopFollowing}
      onKeyDown={stopFollowing}
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

/** A part of a page, in fractions of it from its top left corner. A new one each time that somebody wants to see it. */
export interface Highlight {
  readonly page: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Letters reach over the box of their words. */
const MARGIN = 0.004;

/** A frame around a part of a page. */
const PageHighlight = ({ x, y, width, height }: Highlight): ReactNode => (
  <div
    className="viewer-highlight"
    aria-hidden
    style={{
      left: `${(x - MARGIN) * 100}%`,
      top: `${(y - MARGIN) * 100}%`,
      width: `${(width + 2 * MARGIN) * 100}%`,
      height: `${(height + 2 * MARGIN) * 100}%`,
    }}
  />
);

/** Where pages stand below each other, in pixels. */
interface PageLayout {
  readonly starts: readonly number[];
  readonly widths: readonly number[];
  readonly heights: readonly number[];
  /** Of all of them, with what is between and around them. */
  readonly total: number;
  /** The widest one. */
  readonly width: number;
}

interface PageFrame {
  readonly count: number;
  /** How high a page is to its width, as it is shown; of pages that were not seen yet a guess. */
  readonly ratioOf: (page: number) => number;
  /** Of the box that pages are shown in. */
  readonly width: number;
  readonly height: number;
  /** Whether a page has to fit the box with its height too. */
  readonly isWhole: boolean;
  readonly zoom: number;
}

const GAP_PX = 12;
const LEAST_PX = 120;

/** Pages below each other, each in its own shape and as wide as fits. */
const layOut = ({ count, ratioOf, width, height, isWhole, zoom }: PageFrame): PageLayout => {
  const starts: number[] = [];
  const widths: number[] = [];
  const heights: number[] = [];
  let at = GAP_PX;
  for (let page = 1; page <= count; page += 1) {
    const ratio = ratioOf(page);
    const fitting = width - 2 * GAP_PX;
    const own = Math.max(LEAST_PX, (isWhole ? Math.min(fitting, (height - 2 * GAP_PX) / ratio) : fitting) * zoom);
    starts.push(at);
    widths.push(own);
    heights.push(Math.round(own * ratio));
    at += Math.round(own * ratio) + GAP_PX;
  }
  return { starts, widths, heights, total: at, width: widths.reduce((widest, own) => Math.max(widest, own), 0) + 2 * GAP_PX };
};

/** The page at `y`; the last one that begins above it. */
const pageAt = ({ starts }: PageLayout, y: number): number => {
  let [low, high] = [1, Math.max(1, starts.length)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle - 1] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
};

/** A place that stays the same whatever size pages have: so much of a page, from its top. */
interface Place {
  readonly page: number;
  readonly fraction: number;
}

const placeAt = (layout: PageLayout, y: number): Place => {
  const page = pageAt(layout, y);
  const height = layout.heights[page - 1] ?? 0;
  return { page, fraction: height === 0 ? 0 : (y - (layout.starts[page - 1] ?? 0)) / height };
};

const topOf = (layout: PageLayout, { page, fraction }: Place): number => {
  const start = layout.starts[page - 1] ?? 0;
  return Math.max(0, fraction === 0 ? start - GAP_PX : start + fraction * (layout.heights[page - 1] ?? 0));
};

/** The pages that are seen between `top` and `top + height`, and one more on either side. */
const pagesSeen = (layout: PageLayout, top: number, height: number): readonly number[] => {
  const count = layout.starts.length;
  if (count === 0) return [];
  const first = Math.max(1, pageAt(layout, top) - 1);
  const last = Math.min(count, pageAt(layout, top + height) + 1);
  return Array.from({ length: last - first + 1 }, (_, step) => first + step);
};
