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
