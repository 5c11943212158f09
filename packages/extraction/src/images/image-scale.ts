/** Letters of a usual page are read best at about this resolution; below the second figure, enlarging finds more words. */
const GOOD_DPI = 300;
const LOW_DPI = 200;
const MAX_ENLARGEMENT = 3;
const A4_LONG_SIDE_INCHES = 11.7;
/** An A4 page at 430 dpi. More costs time and finds no more. */
const ENOUGH_PIXELS = 18_000_000;
/** The engine's own limit is 32,767. */
const MAX_SIDE = 32_000;
const MIN_SIDE = 3;

export interface PictureSize {
  readonly width: number;
  readonly height: number;
  /** As the file says; cameras and screens write 72 or 96 without meaning it. */
  readonly density: number | undefined;
}

export interface Scale {
  readonly factor: number;
  /** What the result may be taken for. */
  readonly dpi: number;
}

/** How much to enlarge or reduce a picture before it is read. */
export const scaleFor = ({ width, height, density }: PictureSize, maxPixels: number): Scale => {
  const assumedDpi = assumeDpi(width, height, density);
  const wanted = assumedDpi < LOW_DPI ? Math.min(MAX_ENLARGEMENT, GOOD_DPI / assumedDpi) : 1;
  const most = Math.min(Math.sqrt(Math.min(ENOUGH_PIXELS, maxPixels) / (width * height)), MAX_SIDE / Math.max(width, height));
  const factor = Math.max(Math.min(wanted, most), MIN_SIDE / Math.min(width, height) > 1 ? 1 : 0);
  return { factor, dpi: Math.max(70, Math.min(1_200, assumedDpi * factor)) };
};

const assumeDpi = (width: number, height: number, density: number | undefined): number => {
  const asFullPage = Math.max(width, height) / A4_LONG_SIDE_INCHES;
  return density !== undefined && density > 96 && density <= 1_200 ? density : asFullPage;
};
