import { readFile, writeFile } from 'node:fs/promises';
import type { Box } from '@sheaf/vocabulary/page-words';
import type { Sharp } from 'sharp';
import type { Turn } from '../ocr/ocr-runner.ts';

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

/** A picture of a page in 8 bit grey, the only thing the engines are given: nothing to decode, nothing to fail on. */
export interface GreyImage {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** Three bytes a pixel. */
interface RgbImage extends GreyImage {}

const HEADER = /^P([56])\s+(\d+)\s+(\d+)\s+255\s/;

/** Reads a PGM that we or poppler wrote; undefined when it is not there or not whole. */
export const readPgm = (path: string): Promise<GreyImage | undefined> => readNetpbm(path, '5', 1);

/** The same of a PPM. */
export const readPpm = (path: string): Promise<RgbImage | undefined> => readNetpbm(path, '6', 3);

const readNetpbm = async (path: string, kind: '5' | '6', channels: number): Promise<GreyImage | undefined> => {
  const bytes = await readIfThere(path);
  const header = HEADER.exec(bytes.toString('latin1', 0, 64));
  const [width, height] = [Number(header?.[2]), Number(header?.[3])];
  const pixels = bytes.subarray(header?.[0].length ?? 0);
  const size = width * height * channels;
  if (header?.[1] !== kind || size === 0 || pixels.length < size) return undefined;
  return { width, height, pixels: pixels.subarray(0, size) };
};

const readIfThere = async (path: string): Promise<Buffer> => {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
};

export const writePgm = async (path: string, image: GreyImage): Promise<void> => writeFile(path, pgmParts(image));

/** The header and the pixels of a PGM. */
export const pgmParts = ({ width, height, pixels }: GreyImage): [Buffer, Uint8Array] => [
  Buffer.from(`P5\n${width} ${height}\n255\n`),
  pixels,
];

/** Room for what stands out of the box of a letter. */
const COVER_MARGIN = 2;

/** Paints over what stands in `boxes`, each in the shade that is most usual at its edge. */
export const covered = ({ width, height, pixels }: GreyImage, boxes: readonly Box[]): GreyImage => {
  const left = new Uint8Array(pixels);
  for (const box of boxes) {
    const x0 = Math.max(0, Math.floor(box.x * width) - COVER_MARGIN);
    const y0 = Math.max(0, Math.floor(box.y * height) - COVER_MARGIN);
    const x1 = Math.min(width, Math.ceil((box.x + box.width) * width) + COVER_MARGIN);
    const y1 = Math.min(height, Math.ceil((box.y + box.height) * height) + COVER_MARGIN);
    if (x1 <= x0 || y1 <= y0) continue;
    const shade = edgeShade(pixels, width, { x0, y0, x1, y1 });
    for (let y = y0; y < y1; y += 1) left.fill(shade, y * width + x0, y * width + x1);
  }
  return { width, height, pixels: left };
};

const edgeShade = (
  pixels: Uint8Array,
  width: number,
  { x0, y0, x1, y1 }: { readonly x0: number; readonly y0: number; readonly x1: number; readonly y1: number },
): number => {
  const counts = new Uint32Array(256);
  const count = (x: number, y: number): void => {
    const shade = pixels[y * width + x] ?? 0;
    counts[shade] = (counts[shade] ?? 0) + 1;
  };
  for (let x = x0; x < x1; x += 1) {
    count(x, y0);
    count(x, y1 - 1);
  }
  for (let y = y0; y < y1; y += 1) {
    count(x0, y);
    count(x1 - 1, y);
  }
  return counts.indexOf(Math.max(...counts));
};

/** The part of an image in `box`, which is in fractions of it. */
export const cropped = ({ width, height, pixels }: GreyImage, box: Box): GreyImage => {
  const left = Math.min(width - 1, Math.max(0, Math.round(box.x * width)));
  const top = Math.min(height - 1, Math.max(0, Math.round(box.y * height)));
  const part = {
    width: Math.max(1, Math.min(width - left, Math.round(box.width * width))),
    height: Math.max(1, Math.min(height - top, Math.round(box.height * height))),
  };
  const cut = new Uint8Array(part.width * part.height);
  for (let y = 0; y < part.height; y += 1) {
    const from = (top + y) * width + left;
    cut.set(pixels.subarray(from, from + part.width), y * part.width);
  }
  return { ...part, pixels: cut };
};

/** In a size that is not larger: each pixel is the mean of those that it stands for. */
export const shrunk = (image: GreyImage, { width, height }: Omit<GreyImage, 'pixels'>): GreyImage => {
  if (width === image.width && height === image.height) return image;
  const small = new Uint8Array(width * height);
  const [columns, rows] = [edgesOf(width, image.width), edgesOf(height, image.height)];
  for (let y = 0; y < height; y += 1) {
    const [top, bottom] = [rows[y] ?? 0, rows[y + 1] ?? 0];
    for (let x = 0; x < width; x += 1) {
      const [left, right] = [columns[x] ?? 0, columns[x + 1] ?? 0];
      let sum = 0;
      for (let row = top; row < bottom; row += 1)
        for (let at = row * image.width + left; at < row * image.width + right; at += 1) sum += image.pixels[at] ?? 0;
      small[y * width + x] = Math.round(sum / ((bottom - top) * (right - left)));
    }
  }
  return { width, height, pixels: small };
};

/** Where each of `parts` parts of a line of `whole` pixels begins, and the last one ends. */
const edgesOf = (parts: number, whole: number): Uint32Array =>
  Uint32Array.from({ length: parts + 1 }, (_, part) => Math.round((part * whole) / parts));

/** Nothing to read: hardly any pixel differs from the page's own shade. Scans of empty pages have dust and a grey edge. */
export const isBlank = ({ width, height, pixels }: GreyImage): boolean => {
  const histogram = new Uint32Array(256);
  for (let i = 0; i < pixels.length; i += 3) {
    const shade = pixels[i] ?? 0;
    histogram[shade] = (histogram[shade] ?? 0) + 1;
  }
  const paper = histogram.indexOf(Math.max(...histogram));
  let marks = 0;
  for (const [shade, count] of histogram.entries()) if (Math.abs(shade - paper) > 48) marks += count;
  // A single character of 10 points has some 300 dark pixels at 300 dpi, a hundred of them sampled: 1/100,000 of an A4 page.
  return marks < (width * height) / 3 / 200_000;
};

/** The image for sharp, which is loaded here: most pages are neither turned nor scaled, and it takes 0.1 s and memory. */
export const toSharp = async ({ width, height, pixels }: GreyImage): Promise<Sharp> => {
  const { default: sharp } = await import('sharp');
  return sharp(pixels, { raw: { width, height, channels: 1 } });
};

const toGrey = async (image: Sharp): Promise<GreyImage> => {
  const { data, info } = await image.toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, pixels: data };
};

export const turned = async (image: GreyImage, turn: Turn): Promise<GreyImage> => toGrey((await toSharp(image)).rotate(turn));

export const scaled = async (image: GreyImage, factor: number): Promise<GreyImage> => {
  const opened = await toSharp(image);
  return toGrey(opened.resize({ width: Math.max(1, Math.round(image.width * factor)), kernel: 'lanczos3' }));
};

const BACKGROUND_SCALE = 1 / 40;
const PAPER = 250;

/**
 * For faded or unevenly lit pages: takes the shade of the paper out, which it finds as the page seen very small, and stretches
 * what is left to full contrast.
 */
export const enhanced = async (image: GreyImage): Promise<GreyImage> => {
  const { width, height, pixels } = image;
  const small = await scaled(image, BACKGROUND_SCALE);
  const opened = await toSharp(small);
  const background = await toGrey(opened.blur(1.5).resize({ width, height, fit: 'fill', kernel: 'linear' }));
  const even = new Uint8Array(width * height);
  const shades = new Uint32Array(256);
  for (let i = 0; i < even.length; i += 1) {
    const shade = Math.min(255, (((pixels[i] ?? 0) * PAPER) / Math.max(1, background.pixels[i] ?? 1)) | 0);
    even[i] = shade;
    shades[shade] = (shades[shade] ?? 0) + 1;
  }
  const stretched = stretchOf(shades);
  for (let i = 0; i < even.length; i += 1) even[i] = stretched[even[i] ?? 0] ?? 0;
  return { width, height, pixels: even };
};

/** The darkest share of a page becomes black, and what is lighter than the other share white. */
const FULL_CONTRAST = { black: 0.02, white: 0.71 };

/** What becomes of each shade where contrast is stretched by lightness (CIE L*), given how many pixels have each. */
const stretchOf = (shades: Uint32Array): Uint8Array => {
  const [black, white] = [
    Math.floor(lightnessOf(shadeAt(shades, FULL_CONTRAST.black))),
    Math.floor(lightnessOf(shadeAt(shades, FULL_CONTRAST.white))),
  ];
  if (white <= black) return Uint8Array.from(shades, (_, shade) => shade);
  return Uint8Array.from(shades, (_, shade) => shadeOf(((lightnessOf(shade) - black) / (white - black)) * MOST_LIGHTNESS));
};

const shadeAt = (shades: Uint32Array, share: number): number => {
  const wanted = share * shades.reduce((sum, count) => sum + count, 0);
  let below = 0;
  return shades.findIndex((count) => (below += count) >= wanted);
};

const MOST_LIGHTNESS = 100;

/** Of sRGB (IEC 61966-2-1). */
const lightnessOf = (shade: number): number => {
  const value = shade / 255;
  const light = value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  return light <= 0.008856 ? light * 903.3 : 116 * Math.cbrt(light) - 16;
};

const shadeOf = (lightness: number): number => {
  const within = Math.min(MOST_LIGHTNESS, Math.max(0, lightness));
  const light = within <= 8 ? within / 903.3 : ((within + 16) / 116) ** 3;
  return Math.round(255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055));
};
