const A4_LONG_SIDE_INCHES = 11.7;
/** An A4 page at 430 dpi. More costs time and finds no more. */
const ENOUGH_PIXELS = 18_000_000;
/** The engine's own limit is 32,767. */
const MAX_SIDE = 32_000;
/** The engine reads nothing in what is smaller. */
const MIN_SIDE = 3;

export interface PictureSize {
  readonly width: number;
  readonly height: number;
  /** As the file says; cameras and screens write 72 or 96 without meaning it. */
  readonly density: number | undefined;
}

export interface Scale {
  /** At most 1, but for pictures smaller than the engine takes. */
  readonly factor: number;
  /** What the result may be taken for. */
  readonly dpi: number;
}

/** How much to reduce a picture before it is read. */
export const scaleFor = ({ width, height, density }: PictureSize, maxPixels: number): Scale => {
  const most = Math.min(1, Math.sqrt(Math.min(ENOUGH_PIXELS, maxPixels) / (width * height)), MAX_SIDE / Math.max(width, height));
  const factor = Math.max(most, MIN_SIDE / Math.min(width, height) > 1 ? 1 : 0);
  return { factor, dpi: Math.max(70, Math.min(1_200, assumeDpi(width, height, density) * factor)) };
};

/** What a picture may be taken for that says nothing of its resolution. */
export const asFullPageDpi = (width: number, height: number): number => Math.max(70, Math.max(width, height) / A4_LONG_SIDE_INCHES);

/** What a picture is taken for, by its size in pixels and what its file says. */
export const assumeDpi = (width: number, height: number, density: number | undefined): number => {
  const asFullPage = Math.max(width, height) / A4_LONG_SIDE_INCHES;
  return density !== undefined && density > 96 && density <= 1_200 ? density : asFullPage;
};
