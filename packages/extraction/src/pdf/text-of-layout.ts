import { type PageBox, type PagePicture, parsePictures } from './page-pictures.ts';

export const POINTS_PER_INCH = 72;

export interface PageGeometry {
  readonly widthInches: number;
  readonly heightInches: number;
  /** Resolution of the one picture that covers the page, if it is a scan. */
  readonly scanDpi: number | undefined;
  /** Shown with its sides exchanged: width and height are those before the turn. */
  readonly isSideways: boolean;
  /** What of the page is shown, in points of its own space; undefined where that is shown turned. */
  readonly upright: PageBox | undefined;
}

/** From the output of `pdfinfo -f -l -box` and `pdfimages -list`. */
export const parseGeometry = (sizes: string, images: string): ReadonlyMap<number, PageGeometry> => {
  const geometry = new Map<number, PageGeometry>();
  const picturesByPage = parsePictures(images);
  const turns = new Map<string, number>();
  for (const [, page = '', turn] of sizes.matchAll(/^Page\s+(\d+) rot:\s+(\d+)$/gm)) turns.set(page, Number(turn));
  const boxes = cropBoxes(sizes);
  for (const [, page = '', width, height] of sizes.matchAll(/^Page\s+(\d+) size:\s+(\S+) x (\S+) pts/gm)) {
    const widthInches = Number(width) / POINTS_PER_INCH;
    const heightInches = Number(height) / POINTS_PER_INCH;
    if (!(widthInches > 0 && heightInches > 0 && Number.isFinite(widthInches * heightInches))) continue;
    const [picture, ...others] = picturesByPage.get(Number(page)) ?? [];
    const scanDpi = picture !== undefined && others.length === 0 && covers(picture, widthInches * heightInches) ? picture.dpi : undefined;
    const turn = turns.get(page) ?? 0;
    const upright = turn % 360 === 0 ? boxes.get(page) : undefined;
    geometry.set(Number(page), { widthInches, heightInches, scanDpi, isSideways: turn % 180 === 90, upright });
  }
  return geometry;
};

const cropBoxes = (sizes: string): ReadonlyMap<string, PageBox> => {
  const boxes = new Map<string, PageBox>();
  for (const [, page = '', ...sides] of sizes.matchAll(/^Page\s+(\d+) CropBox:\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)$/gm)) {
    const [left = 0, bottom = 0, right = 0, top = 0] = sides.map(Number);
    boxes.set(page, { left, bottom, right, top });
  }
  return boxes;
};

/** Whether a picture is all that the page shows, but for a margin. */
const covers = (picture: PagePicture, pageSquareInches: number): boolean => picture.squareInches >= pageSquareInches * 0.9;

/** A page that is drawn for its pictures is drawn as finely as they are, within these. */
const PICTURE_DPI = { least: 72, most: 600 };

/** The resolution to draw a page at for the pictures on it: the finest of theirs, pixel for pixel. */
export const dpiForPictures = (
  page: PageGeometry | undefined,
  pictures: readonly { readonly dpi: number }[],
  dpi: number,
  maxPixels: number,
): number => {
  const finest = Math.max(...pictures.map((picture) => picture.dpi));
  const wanted = Number.isFinite(finest) ? Math.min(Math.max(finest, PICTURE_DPI.least), PICTURE_DPI.most) : dpi;
  return Math.min(wanted, mostDpi(page, maxPixels));
};

const mostDpi = (page: PageGeometry | undefined, maxPixels: number): number =>
  page === undefined ? Number.POSITIVE_INFINITY : Math.sqrt(maxPixels / (page.widthInches * page.heightInches));

/**
 * The resolution to draw a page at: that of its scan, pixel for pixel, where it is near the configured one, else the configured
 * one, because the engine reads letters of that size best; and less where the page would have more than `maxPixels`.
 */
export const dpiFor = (page: PageGeometry | undefined, dpi: number, maxPixels: number): number => {
  if (page === undefined) return dpi;
  const { scanDpi } = page;
  const wanted = scanDpi !== undefined && scanDpi >= dpi * 0.6 && scanDpi <= dpi * 1.4 ? scanDpi : dpi;
  return Math.min(wanted, mostDpi(page, maxPixels));
};

/** Of the height of a word: nearer than this is no space between words, farther than that is one. */
const GAP = { none: 0.015, least: 0.08 };
/** Words that lie over each other stand one below the other: the line is turned. */
const MOST_OVERLAP = 0.12;
/** Written from the right, or with signs of the direction, which pdftotext adds to its text. */
const FROM_RIGHT = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]/;
const ONE_SIGN = /^.$/u;
const HYPHEN = '-';

/**
 * What pdftotext prints of the pages as text, made of what it has written of them with `-bbox-layout`; undefined where that does not tell, as the
 * spaces between words are not in it.
 */
export const textOfLayout = (layout: string): string | undefined => {
  if (FROM_RIGHT.test(layout)) return undefined;
  const pieces: string[] = [];
  /** The line is known, but not yet what is behind it. */
  let held: string | undefined;
  let words: string[] = [];
  const flush = (isLastOfFlow: boolean): void => {
    if (held === undefined) return;
    pieces.push(!isLastOfFlow && held.endsWith(HYPHEN) ? held.slice(0, -HYPHEN.length) : `${held}\n`);
    held = undefined;
  };
  for (const element of layout.split('\n')) {
    if (element.includes(WORD_BEGIN)) words.push(element);
    else if (element.includes('</line>')) {
      flush(false);
      held = lineOf(words);
      if (held === undefined) return undefined;
      words = [];
    } else if (element.includes('</flow>')) {
      flush(true);
      pieces.push('\n');
    } else if (element.includes('</page>')) pieces.push('\f');
  }
  return pieces.join('');
};

const lineOf = (elements: readonly string[]): string | undefined => {
  const words = elements.map(wordIn);
  let line = '';
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    if (word === undefined) return undefined;
    if (before !== undefined) {
      const gap = (word.left - before.right) / Math.max(before.bottom - before.top, Number.EPSILON);
      const isNear = gap <= GAP.none;
      if (gap < -MOST_OVERLAP || (!isNear && gap < GAP.least)) return undefined;
      // between single letters a space is wider, and how wide depends on all of them
      if (!isNear && words.every((one) => one !== undefined && ONE_SIGN.test(one.text))) return undefined;
      if (!isNear) line += ' ';
    }
    line += word.text;
  }
  return line;
};

// Without imports: it is read in a sandbox as well, which sees this package alone.

/** What a word begins with in what `pdftotext -bbox-layout` writes, each on a line of its own. */
export const WORD_BEGIN = '<word ';
const WORD_END = '</word>';
/** Of the pieces of a word between quotes: its sides stand in every second one, its text in the last. */
const WORD_PIECES = 9;
const ENTITY = /&(amp|lt|gt|quot|apos);/g;
const SIGNS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A word with its sides in points. */
interface PlacedWord {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The word in a line of what the program writes. */
export const wordIn = (line: string): PlacedWord | undefined => {
  const pieces = line.split('"', WORD_PIECES);
  const [left, top, right, bottom] = [Number(pieces[1]), Number(pieces[3]), Number(pieces[5]), Number(pieces[7])];
  if (pieces.length < WORD_PIECES || !Number.isFinite(left + top + right + bottom)) return undefined;
  const rest = pieces[WORD_PIECES - 1] ?? '';
  const end = rest.lastIndexOf(WORD_END);
  if (end === -1) return undefined;
  const escaped = rest.slice(1, end);
  const text = escaped.includes('&') ? escaped.replaceAll(ENTITY, (_, name: string) => SIGNS[name] ?? '') : escaped;
  return { text, left, top, right, bottom };
};
