import type { Box } from '@sheaf/vocabulary/page-words';
import type { GreyImage } from './grey-image.ts';

/** The page is looked at in squares of this side. */
const CELL_INCHES = 0.05;
/** A square belongs to a picture if most of it has another shade than the paper: letters and lines leave most of theirs free. */
const MIN_FILLED_SHARE = 0.6;
const OTHER_SHADE = 12;
const MIN_SQUARE_INCHES = 1;
const MIN_SIDE_INCHES = 0.3;
/** A picture has such squares in most rows and columns, be it that only its frame is dark. */
const MIN_SPANNED_SHARE = 0.6;
const BORDER_SHARE = 0.02;

interface Cells {
  readonly columns: number;
  readonly rows: number;
  readonly isFilled: Uint8Array;
}

/**
 * Where a page has pictures with a background of their own, from top to bottom, as fractions of it. An engine takes such a region for a
 * photograph and reads nothing in it unless it is given alone; what stands on the paper itself is read with the page.
 */
export const pictureRegions = (image: GreyImage, dpi: number): readonly Box[] => {
  const side = Math.max(2, Math.round(dpi * CELL_INCHES));
  const cells = cellsOf(image, side, paperShade(image));
  const minCells = MIN_SQUARE_INCHES / CELL_INCHES ** 2;
  const minSide = MIN_SIDE_INCHES / CELL_INCHES;
  const boxes = components(cells)
    .filter(({ left, top, right, bottom, spanned }) => {
      const [width, height] = [right - left + 1, bottom - top + 1];
      return width * height >= minCells && Math.min(width, height) >= minSide && spanned >= MIN_SPANNED_SHARE;
    })
    .map(({ left, top, right, bottom }) => {
      const [x, y] = [(left * side) / image.width, (top * side) / image.height];
      const [end, foot] = [Math.min(1, ((right + 1) * side) / image.width), Math.min(1, ((bottom + 1) * side) / image.height)];
      return { x, y, width: end - x, height: foot - y };
    });
  return boxes.filter((box, at) => !boxes.some((other, n) => n !== at && isInside(box, other))).toSorted((a, b) => a.y - b.y || a.x - b.x);
};

/** The shade that is most usual at the edge of the page: its middle may be one picture. */
const paperShade = ({ width, height, pixels }: GreyImage): number => {
  const counts = new Uint32Array(256);
  const border = Math.max(1, Math.round(Math.min(width, height) * BORDER_SHARE));
  for (let y = 0; y < height; y += 1) {
    const isEdge = y < border || y >= height - border;
    for (let x = 0; x < width; x += isEdge || x < border || x >= width - border - 1 ? 1 : width - 2 * border) {
      const shade = pixels[y * width + x] ?? 0;
      counts[shade] = (counts[shade] ?? 0) + 1;
    }
  }
  return counts.indexOf(Math.max(...counts));
};

const cellsOf = ({ width, height, pixels }: GreyImage, side: number, paper: number): Cells => {
  const [columns, rows] = [Math.ceil(width / side), Math.ceil(height / side)];
  const counts = new Uint32Array(columns * rows);
  for (let y = 0; y < height; y += 1) {
    const row = Math.floor(y / side) * columns;
    for (let x = 0; x < width; x += 1) {
      if (Math.abs((pixels[y * width + x] ?? 0) - paper) <= OTHER_SHADE) continue;
      const cell = row + Math.floor(x / side);
      counts[cell] = (counts[cell] ?? 0) + 1;
    }
  }
  return { columns, rows, isFilled: Uint8Array.from(counts, (count) => (count >= side * side * MIN_FILLED_SHARE ? 1 : 0)) };
};

interface Component {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** The part of its rows and of its columns that it has cells in, whichever is less. */
  readonly spanned: number;
}

/** Cells that hang together by their sides. */
const components = ({ columns, rows, isFilled }: Cells): Component[] => {
  const left = Uint8Array.from(isFilled);
  const found: Component[] = [];
  for (let start = 0; start < left.length; start += 1) {
    if (left[start] !== 1) continue;
    left[start] = 0;
    const open = [start];
    const [inRows, inColumns] = [new Set<number>(), new Set<number>()];
    for (let cell = open.pop(); cell !== undefined; cell = open.pop()) {
      const [column, row] = [cell % columns, Math.floor(cell / columns)];
      inRows.add(row);
      inColumns.add(column);
      for (const [neighbour, isThere] of [
        [cell - 1, column > 0],
        [cell + 1, column < columns - 1],
        [cell - columns, row > 0],
        [cell + columns, row < rows - 1],
      ] as const) {
        if (!isThere || left[neighbour] !== 1) continue;
        left[neighbour] = 0;
        open.push(neighbour);
      }
    }
    found.push(around(inRows, inColumns));
  }
  return found;
};

const around = (inRows: ReadonlySet<number>, inColumns: ReadonlySet<number>): Component => {
  const [first, last] = rangeOf(inColumns);
  const [top, bottom] = rangeOf(inRows);
  return {
    left: first,
    top,
    right: last,
    bottom,
    spanned: Math.min(inRows.size / (bottom - top + 1), inColumns.size / (last - first + 1)),
  };
};

const rangeOf = (numbers: ReadonlySet<number>): readonly [number, number] => {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const number of numbers) [least, most] = [Math.min(least, number), Math.max(most, number)];
  return [least, most];
};

const isInside = (box: Box, other: Box): boolean =>
  box.x >= other.x && box.y >= other.y && box.x + box.width <= other.x + other.width && box.y + box.height <= other.y + other.height;
