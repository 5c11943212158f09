const POINTS_PER_INCH = 72;

export interface PageGeometry {
  readonly widthInches: number;
  readonly heightInches: number;
  /** Resolution of the one picture that covers the page, if it is a scan. */
  readonly scanDpi: number | undefined;
}

/** From the output of `pdfinfo -f -l` and `pdfimages -list`. */
export const parseGeometry = (sizes: string, images: string): ReadonlyMap<number, PageGeometry> => {
  const geometry = new Map<number, PageGeometry>();
  const picturesByPage = parsePictures(images);
  for (const [, page, width, height] of sizes.matchAll(/^Page\s+(\d+) size:\s+(\S+) x (\S+) pts/gm)) {
    const widthInches = Number(width) / POINTS_PER_INCH;
    const heightInches = Number(height) / POINTS_PER_INCH;
    if (!(widthInches > 0 && heightInches > 0 && Number.isFinite(widthInches * heightInches))) continue;
    const [picture, ...others] = picturesByPage.get(Number(page)) ?? [];
    const scanDpi = picture !== undefined && others.length === 0 && covers(picture, widthInches * heightInches) ? picture.dpi : undefined;
    geometry.set(Number(page), { widthInches, heightInches, scanDpi });
  }
  return geometry;
};

interface Picture {
  readonly dpi: number;
  readonly squareInches: number;
}

/** Columns: page, num, type, width, height, color, comp, bpc, enc, interp, object, ID, x-ppi, y-ppi, size, ratio. */
const parsePictures = (list: string): Map<number, Picture[]> => {
  const byPage = new Map<number, Picture[]>();
  for (const line of list.split('\n').slice(2)) {
    const [page, , type, width, height, , , , , , , , xPpi, yPpi] = line.trim().split(/\s+/);
    const dpi = Math.max(Number(xPpi), Number(yPpi));
    if (type !== 'image' || !(dpi > 0)) continue;
    const squareInches = (Number(width) / Number(xPpi)) * (Number(height) / Number(yPpi));
    const pictures = byPage.get(Number(page)) ?? [];
    pictures.push({ dpi, squareInches });
    byPage.set(Number(page), pictures);
  }
  return byPage;
};

const covers = (picture: Picture, pageSquareInches: number): boolean => picture.squareInches >= pageSquareInches * 0.9;

/**
 * The resolution to draw a page at: that of its scan, pixel for pixel, where it is near the configured one, else the configured
 * one, because the engine reads letters of that size best; and less where the page would have more than `maxPixels`.
 */
export const dpiFor = (page: PageGeometry | undefined, dpi: number, maxPixels: number): number => {
  if (page === undefined) return dpi;
  const { scanDpi } = page;
  const wanted = scanDpi !== undefined && scanDpi >= dpi * 0.6 && scanDpi <= dpi * 1.4 ? scanDpi : dpi;
  const most = Math.sqrt(maxPixels / (page.widthInches * page.heightInches));
  return Math.min(wanted, most);
};
