/** Where pages stand below each other, in pixels. */
export interface PageLayout {
  readonly starts: readonly number[];
  readonly widths: readonly number[];
  readonly heights: readonly number[];
  /** Of all of them, with what is between and around them. */
  readonly total: number;
  /** The widest one. */
  readonly width: number;
}

export interface PageFrame {
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

export const GAP_PX = 12;
const LEAST_PX = 120;

/** Pages below each other, each in its own shape and as wide as fits. */
export const layOut = ({ count, ratioOf, width, height, isWhole, zoom }: PageFrame): PageLayout => {
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
export const pageAt = ({ starts }: PageLayout, y: number): number => {
  let [low, high] = [1, Math.max(1, starts.length)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle - 1] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
};

/** A place that stays the same whatever size pages have: so much of a page, from its top. */
export interface Place {
  readonly page: number;
  readonly fraction: number;
}

export const placeAt = (layout: PageLayout, y: number): Place => {
  const page = pageAt(layout, y);
  const height = layout.heights[page - 1] ?? 0;
  return { page, fraction: height === 0 ? 0 : (y - (layout.starts[page - 1] ?? 0)) / height };
};

export const topOf = (layout: PageLayout, { page, fraction }: Place): number => {
  const start = layout.starts[page - 1] ?? 0;
  return Math.max(0, fraction === 0 ? start - GAP_PX : start + fraction * (layout.heights[page - 1] ?? 0));
};

/** The pages that are seen between `top` and `top + height`, and one more on either side. */
export const pagesSeen = (layout: PageLayout, top: number, height: number): readonly number[] => {
  const count = layout.starts.length;
  if (count === 0) return [];
  const first = Math.max(1, pageAt(layout, top) - 1);
  const last = Math.min(count, pageAt(layout, top + height) + 1);
  return Array.from({ length: last - first + 1 }, (_, step) => first + step);
};
