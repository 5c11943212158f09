import { open } from 'node:fs/promises';
import type { Box } from '@sheaf/vocabulary/page-words';
import type { PdfObject } from './qpdf.ts';

/** In points, from the lower left corner of the page's own space. */
export interface PageBox {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

/** a b c d e f of a matrix as `cm` takes it (ISO 32000-1, 8.3.4). */
type Matrix = readonly [number, number, number, number, number, number];

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
const MAX_OPERANDS = 6;
const MAX_TOKENS = 500;

/**
 * Where the only picture of a page stands, upright, if showing it is all that the page does; undefined for every other page.
 * `content` are the instructions of the page: what is not known to leave no mark speaks against it.
 */
export const lonePicture = (content: string, pictureName: string): PageBox | undefined => {
  // PDF's white space is more and less than that of a regular expression
  const tokens = content.split(/[\0\t\n\f\r ]/, MAX_TOKENS + 1).filter((token) => token !== '');
  if (tokens.length > MAX_TOKENS) return undefined;
  let matrix: Matrix = IDENTITY;
  const kept: Matrix[] = [];
  let operands: string[] = [];
  let shown: Matrix | undefined;
  for (const token of tokens) {
    if (isOperand(token)) {
      operands.push(token);
      if (operands.length > MAX_OPERANDS) return undefined;
      continue;
    }
    switch (token) {
      case 'q':
        kept.push(matrix);
        break;
      case 'Q':
        matrix = kept.pop() ?? IDENTITY;
        break;
      case 'cm': {
        const change = toMatrix(operands);
        if (change === undefined) return undefined;
        matrix = combined(change, matrix);
        break;
      }
      case 'Do':
        if (shown !== undefined || operands.length !== 1 || operands[0] !== pictureName) return undefined;
        shown = matrix;
        break;
      default:
        return undefined;
    }
    operands = [];
  }
  return shown && operands.length === 0 ? uprightBox(shown) : undefined;
};

const isOperand = (token: string): boolean => token.startsWith('/') || /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(token);

const toMatrix = (operands: readonly string[]): Matrix | undefined => {
  const [a, b, c, d, e, f, ...more] = operands.map(Number);
  const isWhole = [a, b, c, d, e, f].every((value) => value !== undefined && Number.isFinite(value)) && more.length === 0;
  return isWhole ? [a ?? 0, b ?? 0, c ?? 0, d ?? 0, e ?? 0, f ?? 0] : undefined;
};

const combined = ([a, b, c, d, e, f]: Matrix, [A, B, C, D, E, F]: Matrix): Matrix => [
  a * A + b * C,
  a * B + b * D,
  c * A + d * C,
  c * B + d * D,
  e * A + f * C + E,
  e * B + f * D + F,
];

const SLANT = 1e-4;

/** The unit square that a picture fills, where it is neither turned nor mirrored. */
const uprightBox = ([a, b, c, d, e, f]: Matrix): PageBox | undefined =>
  a > 0 && d > 0 && Math.abs(b) < SLANT && Math.abs(c) < SLANT ? { left: e, bottom: f, right: e + a, top: f + d } : undefined;

/** Whether a page shows nothing beside its instructions, and in the usual unit. */
export const isPlainPage = ({ dictionary }: PdfObject): boolean => isEmpty(dictionary['/Annots']) && dictionary['/UserUnit'] === undefined;

const isEmpty = (value: unknown): boolean => value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** What changes how the picture in a stream looks on the page. */
const CHANGES = ['/Decode', '/DecodeParms', '/SMask', '/Mask', '/ImageMask', '/OC', '/F', '/SMaskInData'] as const;

/** Whether the bytes of a picture are a JPEG, and look like it. */
export const isPlainJpeg = ({ dictionary }: PdfObject): boolean =>
  dictionary['/Subtype'] === '/Image' &&
  isFilter(dictionary['/Filter'], '/DCTDecode') &&
  CHANGES.every((key) => isEmpty(dictionary[key]) || dictionary[key] === false);

/** How the instructions of a page are packed; undefined where that is not known here. */
export const packingOf = ({ dictionary }: PdfObject): 'none' | 'deflate' | undefined => {
  if (!isEmpty(dictionary['/DecodeParms']) || !isEmpty(dictionary['/F'])) return undefined;
  if (isEmpty(dictionary['/Filter'])) return 'none';
  return isFilter(dictionary['/Filter'], '/FlateDecode') ? 'deflate' : undefined;
};

const isFilter = (value: unknown, name: string): boolean =>
  value === name || (Array.isArray(value) && value.length === 1 && value[0] === name);

/** What says where pictures are stands at the beginning of a page, before its text. */
const MAX_BYTES = 1024 * 1024;
const MAX_PICTURES = 200;
/** Of a page: what is nearer belongs together, such as the strips that a scanner makes of a page. */
const TOUCHES = 0.004;
const ALIKE = 0.02;
const PAGE = /<page [^>]{0,200}?height="([\d.]{1,12})" width="([\d.]{1,12})"/;
const IMAGE = /<image top="(-?[\d.]{1,12})" left="(-?[\d.]{1,12})" width="(-?[\d.]{1,12})" height="(-?[\d.]{1,12})"/g;

export interface PicturePlaces {
  /** Points, as the page is shown. */
  readonly width: number;
  readonly height: number;
  /** In fractions of the page. */
  readonly boxes: readonly Box[];
}

/** From what `pdftohtml -xml` wrote of one page; undefined where it wrote nothing of use. */
export const readPicturePlaces = async (path: string): Promise<PicturePlaces | undefined> => {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return parsePicturePlaces(buffer.toString('utf8', 0, bytesRead));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

export const parsePicturePlaces = (xml: string): PicturePlaces | undefined => {
  const page = PAGE.exec(xml);
  const [height, width] = [Number(page?.[1]), Number(page?.[2])];
  if (!(width > 0 && height > 0)) return undefined;
  const boxes: Box[] = [];
  for (const [, ...sides] of xml.matchAll(IMAGE)) {
    const [top = 0, left = 0, wide = 0, high = 0] = sides.map(Number);
    // a picture that is shown turned or mirrored has sides of less than nothing
    const [x0, x1] = [Math.min(left, left + wide) / width, Math.max(left, left + wide) / width];
    const [y0, y1] = [Math.min(top, top + high) / height, Math.max(top, top + high) / height];
    const box = within({ x0, y0, x1, y1 });
    if (box !== undefined) boxes.push(box);
    if (boxes.length === MAX_PICTURES) break;
  }
  return { width, height, boxes };
};

interface Edges {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

const within = ({ x0, y0, x1, y1 }: Edges): Box | undefined => {
  const [left, top, right, bottom] = [Math.max(0, x0), Math.max(0, y0), Math.min(1, x1), Math.min(1, y1)];
  return right > left && bottom > top ? { x: left, y: top, width: right - left, height: bottom - top } : undefined;
};

/** Pictures that are parts of one: strips of the same width below each other or of the same height side by side, and one upon another. */
export const joinPieces = (boxes: readonly Box[]): Box[] => {
  const joined: Box[] = [];
  for (const box of boxes.toSorted((a, b) => a.y - b.y || a.x - b.x)) {
    const at = joined.findIndex((other) => belongTogether(other, box));
    const other = joined[at];
    if (other === undefined) joined.push(box);
    else joined[at] = around(other, box);
  }
  return joined.length === boxes.length ? joined : joinPieces(joined);
};

const near = (a: number, b: number, most: number): boolean => Math.abs(a - b) <= most;

const belongTogether = (a: Box, b: Box): boolean => {
  const isColumn = near(a.x, b.x, ALIKE) && near(a.width, b.width, ALIKE) && near(a.y + a.height, b.y, TOUCHES);
  const isRow = near(a.y, b.y, ALIKE) && near(a.height, b.height, ALIKE) && near(a.x + a.width, b.x, TOUCHES);
  const shared =
    Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
    Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));
  return isColumn || isRow || shared > 0.5 * Math.min(a.width * a.height, b.width * b.height);
};

const around = (a: Box, b: Box): Box => {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return { x, y, width: Math.max(a.x + a.width, b.x + b.width) - x, height: Math.max(a.y + a.height, b.y + b.height) - y };
};

/** A picture as it stands on a page. */
export interface PagePicture {
  readonly page: number;
  readonly dpi: number;
  readonly squareInches: number;
  readonly shorterInches: number;
  /** The same for a picture that is shown again; undefined for one that stands in the page itself. */
  readonly object: string | undefined;
}

/** The only picture of a page, where it is a JPEG in grey or in three colours. */
export interface JpegPicture {
  readonly width: number;
  readonly height: number;
  readonly dpi: number;
  /** As the file names it, such as `12 0 R`. */
  readonly object: string;
}

/**
 * From the output of `pdfimages -list`, masks left out.
 * Columns: page, num, type, width, height, color, comp, bpc, enc, interp, object, ID, x-ppi, y-ppi, size, ratio.
 */
export const parsePictures = (list: string): ReadonlyMap<number, readonly PagePicture[]> => {
  const byPage = new Map<number, PagePicture[]>();
  for (const line of list.split('\n').slice(2)) {
    const columns = line.trim().split(/\s+/);
    const [page, , type, width, height] = columns;
    // a picture of the page itself has one word in place of object and number
    const isInline = columns.includes('[inline]');
    const [object, number, xPpi, yPpi] = isInline ? [undefined, undefined, ...columns.slice(11)] : columns.slice(10);
    const dpi = Math.max(Number(xPpi), Number(yPpi));
    if (type !== 'image' || !(dpi > 0)) continue;
    const [wide, high] = [Number(width) / Number(xPpi), Number(height) / Number(yPpi)];
    const pictures = byPage.get(Number(page)) ?? [];
    const name = object === undefined ? undefined : `${object} ${number}`;
    pictures.push({ page: Number(page), dpi, squareInches: wide * high, shorterInches: Math.min(wide, high), object: name });
    byPage.set(Number(page), pictures);
  }
  return byPage;
};

const JPEG_COLOURS: ReadonlySet<string> = new Set(['gray 1', 'rgb 3', 'icc 1', 'icc 3']);
const SAME_DPI = 1;

/** By page, from the same output. A mask is a picture too. */
export const lonelyJpegs = (list: string): ReadonlyMap<number, JpegPicture> => {
  const jpegs = new Map<number, JpegPicture>();
  const seen = new Set<number>();
  for (const line of list.split('\n').slice(2)) {
    const [page, , type, width, height, colour, components, bits, coding, , object, generation, xPpi, yPpi] = line.trim().split(/\s+/);
    const number = Number(page);
    jpegs.delete(number);
    if (seen.has(number)) continue;
    seen.add(number);
    const dpi = Number(xPpi);
    const isJpeg = type === 'image' && coding === 'jpeg' && bits === '8' && JPEG_COLOURS.has(`${colour} ${components}`);
    if (!isJpeg || object === '[inline]' || !(dpi > 0) || Math.abs(dpi - Number(yPpi)) > SAME_DPI) continue;
    jpegs.set(number, { width: Number(width), height: Number(height), dpi, object: `${object} ${generation} R` });
  }
  return jpegs;
};

/** What taking the pictures of a page out of the file comes to: each time one is shown, masks included. */
export interface PictureLoad {
  readonly count: number;
  readonly pixels: number;
}

/** By page, from the same output. */
export const pictureLoads = (list: string): ReadonlyMap<number, PictureLoad> => {
  const loads = new Map<number, PictureLoad>();
  for (const line of list.split('\n').slice(2)) {
    const [page, , , width, height] = line.trim().split(/\s+/).map(Number);
    if (page === undefined || !(page > 0)) continue;
    const { count, pixels } = loads.get(page) ?? { count: 0, pixels: 0 };
    loads.set(page, { count: count + 1, pixels: pixels + (width ?? 0) * (height ?? 0) });
  }
  return loads;
};

/** Smaller ones are logos, stamps of software, and lines. */
const MIN_SQUARE_INCHES = 1;
export const MIN_SHORTER_INCHES = 0.3;
/** Below this no letter can be made out. */
const MIN_DPI = 40;

/** By page, the pictures that could show text of their own. One that is shown on several pages is looked at on the first. */
export const picturesToRead = (byPage: ReadonlyMap<number, readonly PagePicture[]>): ReadonlyMap<number, readonly PagePicture[]> => {
  const seen = new Set<string>();
  const wanted = new Map<number, readonly PagePicture[]>();
  for (const [page, pictures] of byPage) {
    const here = pictures.filter(({ squareInches, shorterInches, dpi, object }) => {
      if (squareInches < MIN_SQUARE_INCHES || shorterInches < MIN_SHORTER_INCHES || dpi < MIN_DPI) return false;
      if (object === undefined || object.includes('[')) return true;
      const isNew = !seen.has(object);
      seen.add(object);
      return isNew;
    });
    if (here.length > 0) wanted.set(page, here);
  }
  return wanted;
};
