import { open } from 'node:fs/promises';
import type { Box } from '@sheaf/vocabulary/page-words';

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
