import type { PageBox } from './lone-picture.ts';
import { type PagePicture, parsePictures } from './page-pictures.ts';

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
