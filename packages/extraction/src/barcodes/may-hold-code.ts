import type { GreyImage } from '../images/grey-image.ts';
import type { CodePlace } from './read-codes.ts';

/** The side of a cell in pixels: 4 mm at the resolution that pages are looked at first. */
const CELL = 24;
/** Mean difference of neighbouring pixels: print has more, photos and backgrounds have less. */
const MIN_CONTRAST = 18;
/** Bars differ along one direction and hardly along the other. */
const MIN_STRIPE_RATIO = 4;
/** Cells in a row that a linear code covers at least: 12 mm. */
const MIN_STRIPES = 3;
/** Mean shades of a matrix code, half of which is dark; lines of text are lighter. */
const MATRIX_SHADES = { from: 60, to: 175 } as const;

type Look = 'plain' | 'upright_stripes' | 'lying_stripes' | 'matrix';

/** A linear code is found by one line through it, and stands some cells above and below that. */
const ROOM_CELLS = 4;

/**
 * Whether a page looks as if it had a code, beside those that were read in `places`, that is too small for its resolution. It only decides
 * whether the page is looked at closer, so that it may be wrong either way.
 */
export const mayHoldCode = (image: GreyImage, places: readonly CodePlace[]): boolean => {
  const columns = Math.floor((image.width - 1) / CELL);
  const rows = Math.floor((image.height - 1) / CELL);
  const looks = new Map<number, Look>();
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      if (places.some((place) => isNear(place, column * CELL, row * CELL))) continue;
      const look = lookOf(image, column * CELL, row * CELL);
      if (look !== 'plain') looks.set(row * columns + column, look);
    }
  const isFilled = (at: number, steps: readonly number[], look: Look): boolean => steps.every((step) => looks.get(at + step) === look);
  const across = Array.from({ length: MIN_STRIPES }, (_, step) => step);
  const down = across.map((step) => step * columns);
  const square = [0, 1, columns, columns + 1];
  return [...looks.keys()].some(
    (at) => isFilled(at, across, 'upright_stripes') || isFilled(at, down, 'lying_stripes') || isFilled(at, square, 'matrix'),
  );
};

const isNear = ({ left, top, right, bottom }: CodePlace, x: number, y: number): boolean => {
  const room = ROOM_CELLS * CELL;
  return x >= left - room && x <= right + room && y >= top - room && y <= bottom + room;
};

const lookOf = ({ width, pixels }: GreyImage, left: number, top: number): Look => {
  let [across, down, shades, samples] = [0, 0, 0, 0];
  for (let y = top; y < top + CELL; y += 2) {
    for (let x = left; x < left + CELL; x += 1) {
      const at = y * width + x;
      const shade = pixels[at] ?? 0;
      across += Math.abs(shade - (pixels[at + 1] ?? 0));
      down += Math.abs(shade - (pixels[at + width] ?? 0));
      shades += shade;
      samples += 1;
    }
  }
  const [acrossMean, downMean, shade] = [across / samples, down / samples, shades / samples];
  if (acrossMean >= MIN_CONTRAST && acrossMean >= downMean * MIN_STRIPE_RATIO) return 'upright_stripes';
  if (downMean >= MIN_CONTRAST && downMean >= acrossMean * MIN_STRIPE_RATIO) return 'lying_stripes';
  const isHalfDark = shade >= MATRIX_SHADES.from && shade <= MATRIX_SHADES.to;
  return isHalfDark && acrossMean >= MIN_CONTRAST && downMean >= MIN_CONTRAST ? 'matrix' : 'plain';
};
