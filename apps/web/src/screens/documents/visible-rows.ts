import { type RefObject, startTransition, useCallback, useEffect, useLayoutEffect, useState } from 'react';

/** How long nothing must have moved for the window to be at rest. */
const REST_MS = 120;

let isMoving = false;
let timer: ReturnType<typeof setTimeout> | undefined;
const waiting = new Set<() => void>();

const rest = (): void => {
  isMoving = false;
  for (const notify of waiting) notify();
  waiting.clear();
};
const move = (): void => {
  isMoving = true;
  clearTimeout(timer);
  timer = setTimeout(rest, REST_MS);
};

/** Follows the movements of the window; to be used once on a screen. */
export const useFollowScroll = (): void => {
  useEffect(() => {
    addEventListener('scroll', move, { passive: true });
    return () => {
      removeEventListener('scroll', move);
      clearTimeout(timer);
      rest();
    };
  }, []);
};

/** Whether the window has been at rest since this was first shown: what flies by is not worth a picture. */
export const useHasRested = (): boolean => {
  const [hasRested, setHasRested] = useState(() => !isMoving);
  useEffect(() => {
    if (hasRested) return;
    // many pictures at once may take longer than one frame: they come as there is time
    const notify = (): void => startTransition(() => setHasRested(true));
    if (!isMoving) return notify(); // it came to rest meanwhile
    waiting.add(notify);
    return () => void waiting.delete(notify);
  }, [hasRested]);
  return hasRested;
};

/** What exists beyond each edge of the window, so that a turn of the wheel shows no gap; and by how much the range moves at a time. */
const OVERSCAN_PX = 300;
const STEP_PX = 180;

interface Place {
  /** Where the list begins, seen from the upper edge of the window. */
  readonly top: number;
  readonly windowPx: number;
  readonly rowPx: number;
  readonly count: number;
}

export interface Range {
  readonly first: number;
  /** Less than `first` where there is nothing. */
  readonly last: number;
}

/** Which rows of a list have to exist, all of them being equally high. */
export const rangeOf = ({ top, windowPx, rowPx, count }: Place): Range => {
  const [overscan, step] = [Math.ceil(OVERSCAN_PX / rowPx), Math.ceil(STEP_PX / rowPx)];
  const firstSeen = Math.floor(-top / rowPx);
  const lastSeen = Math.floor((windowPx - top) / rowPx);
  const first = Math.floor((firstSeen - overscan) / step) * step;
  const last = Math.ceil((lastSeen + overscan) / step) * step;
  return { first: Math.min(Math.max(0, first), Math.max(0, count - 1)), last: Math.min(Math.max(0, last), count - 1) };
};

/** How far the window must be scrolled to show a row wholly, below what covers its upper edge. */
export const scrollNeeded = (row: number, { top, windowPx, rowPx }: Omit<Place, 'count'>, coveredPx: number): number => {
  const rowTop = top + row * rowPx;
  if (rowTop < coveredPx) return rowTop - coveredPx;
  return Math.max(0, rowTop + rowPx - windowPx);
};

/** The rows of `list` that the window shows, and some around them. The component is drawn anew only when they change. */
export const useVisibleRows = (
  list: RefObject<HTMLElement | null>,
  rowPx: number,
  count: number,
): Range & { readonly scrollTo: (row: number, coveredPx: number) => void } => {
  const [range, setRange] = useState<Range>(() => rangeOf({ top: 0, windowPx: innerHeight, rowPx, count }));
  const placeOf = useCallback(() => ({ top: list.current?.getBoundingClientRect().top ?? 0, windowPx: innerHeight, rowPx }), [list, rowPx]);
  const measure = useCallback(() => {
    const next = rangeOf({ ...placeOf(), count });
    setRange((before) => (before.first === next.first && before.last === next.last ? before : next));
  }, [placeOf, count]);
  useLayoutEffect(measure, [measure]);
  useEffect(() => {
    const stop = new AbortController();
    addEventListener('scroll', measure, { passive: true, signal: stop.signal });
    addEventListener('resize', measure, { signal: stop.signal });
    return () => stop.abort();
  }, [measure]);
  const scrollTo = useCallback(
    (row: number, coveredPx: number) => {
      const needed = scrollNeeded(row, placeOf(), coveredPx);
      if (needed !== 0) scrollBy({ top: needed, behavior: 'instant' });
    },
    [placeOf],
  );
  // the list may have become shorter since it was measured
  const last = Math.min(range.last, count - 1);
  return { first: Math.max(0, Math.min(range.first, last)), last, scrollTo };
};
